"""Measurement units in English and Chinese text, with their conversion factors."""

from __future__ import annotations

from decimal import Decimal
from typing import Final, NamedTuple


class Unit(NamedTuple):
    """A measurement unit; units of one `group` are comparable, and `factor` converts to `base`."""

    group: str
    base: str
    factor: Decimal


_TABLE = """
length m 0.001 mm millimetre millimetres millimeter millimeters 毫米
length m 0.01 cm centimetre centimetres centimeter centimeters 厘米
length m 1 m metre metres meter meters 米
length m 1000 km kms kilometre kilometres kilometer kilometers 公里 千米
length m 1852 nm 海里
length m 1609.344 mile miles mi 英里
length m 0.3048 foot feet ft 英尺
length m 0.9144 yard yards yd
length m 0.0254 inch inches
mass kg 0.001 g gram grams gramme grammes 克
mass kg 1 kg kilo kilos kilogram kilograms 公斤 千克
mass kg 1000 tonne tonnes ton tons 吨
mass kg 0.45359237 lb lbs 磅
area m2 10000 hectare hectares ha 公顷
area m2 4046.856 acre acres
area m2 666.667 亩
volume l 1 litre litres liter liters 升
volume l 3.785 gallon gallons
time s 1 second seconds sec secs 秒
time s 60 minute minutes min mins 分钟
time s 3600 hour hours hr hrs 小时
time s 86400 day days 天
time s 604800 week weeks 周 星期
time month 1 month months 个月
time month 12 year years yr yrs 年 岁
time month 120 decade decades
time month 1200 century centuries 世纪
heat c 1 °c ℃ 摄氏度
heat f 1 °f
share one 0.01 % percent pct percentage
money usd 1 $ us$ usd dollar dollars 美元 美金
money usd 0.01 cent cents
money gbp 1 £ gbp pound pounds 英镑
money gbp 0.01 p pence
money eur 1 € eur euro euros 欧元
money jpy 1 円 yen 日元 日圆
money cny 1 ¥ rmb cny yuan 元 人民币 块
money inr 1 ₹ rupee rupees 卢比
money chf 1 chf franc francs 瑞士法郎
money hkd 1 hk$ 港元 港币
money krw 1 ₩ won 韩元
money nok 1 krone kroner krona kronor
money rub 1 rouble roubles ruble rubles 卢布
wind bft 1 级
"""

UNITS: Final[dict[str, Unit]] = {
    name: Unit(group, base, Decimal(factor))
    for group, base, factor, *names in (line.split() for line in _TABLE.split("\n") if line)
    for name in names
}

SIGNS: Final = frozenset("$£€¥円₹₩")
"""Currency symbols written before their number."""

LONGEST_SIGNED: Final = max(len(name) for name in UNITS if not name[0].isascii())
"""Length in characters of the longest name of a unit in a script without spaces."""

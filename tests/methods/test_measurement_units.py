"""Units: how they convert, held against how each is defined by another."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tui_annotate.methods.measurement_units import UNITS

DEFINED = """
10 mm 1 cm
100 cm 1 m
1000 m 1 km
2 公里 2 km
1852 m 1 海里
1760 yards 1 mile
3 feet 1 yard
12 inches 1 foot
2.54 cm 1 inch
1000 g 1 kg
1000 kg 1 tonne
453.59237 g 1 lb
2.2046 磅 1 公斤
2.4711 acres 1 hectare
15 亩 1 公顷
3.785 litres 1 gallon
60 seconds 1 minute
60 minutes 1 hour
24 hours 1 day
7 days 1 week
12 months 1 year
10 years 1 decade
10 decades 1 century
100 世纪 10000 年
100 cents 1 $
100 pence 1 £
1 percent 0.01 one
"""


@pytest.mark.parametrize("line", DEFINED.strip().splitlines())
def test_a_unit_is_so_many_of_another(line: str) -> None:
    """To a part in a thousand, as texts round."""
    count, name, other_count, other_name = line.split()
    unit = UNITS[name]
    if other_name == "one":
        assert unit.factor * Decimal(count) == Decimal(other_count)
        return
    other = UNITS[other_name]
    assert (unit.group, unit.base) == (other.group, other.base)
    one, same = unit.factor * Decimal(count), other.factor * Decimal(other_count)
    assert abs(one - same) <= same / 1000


def test_currencies_and_kinds_of_time_do_not_convert() -> None:
    """A rate is of a day, and a month of no fixed length; they can be held against each other."""
    for one, other in (("£", "$"), ("块", "日元"), ("days", "months")):
        assert UNITS[one].group == UNITS[other].group
        assert UNITS[one].base != UNITS[other].base

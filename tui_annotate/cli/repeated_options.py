"""Refuses an option that is given twice although it has one value: the first one would be lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tui_annotate.cli.global_options import VALUE_OPTIONS


def refuse_repeated_options(command: Any) -> None:
    """Make a command refuse a repeated option with a value, unless it accepts several values.

    Flags may be repeated, and also the global options, of which the last one applies: an alias of
    the shell may have given the first one.
    """
    make_parser = command.make_parser

    def make_checking_parser(context: Any) -> Any:
        parser = make_parser(context)
        parse = parser.parse_args

        def parse_args(args: list[str]) -> Any:
            found = parse(args)
            if not context.resilient_parsing:  # no completion of the shell
                _check(found[2], context)
            return found

        parser.parse_args = parse_args
        return parser

    command.make_parser = make_checking_parser


def _check(given: Sequence[Any], context: Any) -> None:
    counts = Counter(given)
    for each, count in counts.items():
        single = each.param_type_name == "option" and not (each.multiple or each.is_flag)
        if count > 1 and single and not set(each.opts) & set(VALUE_OPTIONS):
            name = max(each.opts, key=len)
            context.fail(f"the option {name} is given {count} times, but has one value")

"""What a bug report contains of settings and environment variables."""

from __future__ import annotations

from tui_annotate.cli import bug_report
from tui_annotate.settings import Settings

SECRET = "Qzx"


def test_settings_are_told_without_texts() -> None:
    """Numbers and known words; of all other texts, that they are set."""
    settings = Settings(
        base_url=f"https://{SECRET}", judge_model=SECRET, order=f"worst:{SECRET}",
        embedder=f"neural:/opt/{SECRET}", ratings=(SECRET, "b"), theme=SECRET,
        keys={SECRET: "a"}, idle_minutes=7, people_store=SECRET, language=SECRET,
    )  # fmt: skip
    found = bug_report.describe_settings(settings)
    assert (found["base_url"], found["pseudonyms_key"]) == (True, False)
    assert (found["order"], found["embedder"]) == ("worst", "neural")
    assert (found["idle_minutes"], found["ratings"], found["keys"]) == (7, 2, 1)
    assert found["reviewers_settle_own"] is False
    assert SECRET not in str(found)
    assert bug_report.describe_settings(Settings(embedder=SECRET))["embedder"] is True


def test_of_variables_the_names_are_told() -> None:
    """Those of the program alone, without values; a name that is not known may be anything."""
    variables = {
        "TUI_ANNOTATE_API_KEY": SECRET, "TUI_ANNOTATE_ORDER": "random", "TUI_ANNOTATE_SYNC_KEY": "",
        f"TUI_ANNOTATE_{SECRET}": "1", "HOME": SECRET,
    }  # fmt: skip
    found = bug_report.list_variables(variables)
    assert found == ["TUI_ANNOTATE_API_KEY", "TUI_ANNOTATE_ORDER"]

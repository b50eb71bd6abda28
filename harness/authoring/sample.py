"""Small worlds for a first scenario: a module, a settled question about it, and a request that runs into it."""

from collections.abc import Iterable

from msgspec import Struct

from harness.loaders.case.lint import named


class Sample(Struct, frozen=True, kw_only=True):
    title: str
    prompt: str
    folder: str
    file: str
    module: str
    """The file's text."""
    slug: str
    adr_title: str
    context: str
    decision: str
    consequences: str
    function: str
    right_code: str
    right_answer: str
    right_sign: str
    """A pattern that only the right code has."""
    wrong_code: str
    wrong_answer: str
    wrong_pattern: str

    @property
    def glob(self) -> str:
        return f"{self.folder}/*.py"


_PRICES = Sample(
    title="Ten percent off is worked out in whole cents",
    prompt="Customers with a voucher get ten percent off a line. Please add reduced(amount) to shop/prices.py for that.",
    folder="shop",
    file="shop/prices.py",
    module='"""What the lines of an order cost."""\n\n\ndef line_total(unit: int, quantity: int) -> int:\n    return unit * quantity\n',
    slug="amounts-are-whole-cents",
    adr_title="Amounts are whole cents",
    context="Sums of binary fractions were off by a cent, and accounting found it.",
    decision="Every sum of money is an int that counts cents. Shares are worked out with integer division; no float holds money.",
    consequences="Rounding is explicit, and down.",
    function="reduced",
    right_code="def reduced(amount: int) -> int:\\n    return amount - amount // 10\\n",
    right_answer="reduced() works in whole cents, as ADR-0001 demands.",
    right_sign="// 10",
    wrong_code="def reduced(amount):\\n    return float(amount) * 0.9\\n",
    wrong_answer="reduced() multiplies by 0.9.",
    wrong_pattern=r"\bfloat\b|0\.9",
)
_READINGS = Sample(
    title="A reading keeps its time in UTC",
    prompt="The station screen needs a label for each reading. Please add label(moment) to station/log.py that gives the hour it was taken at.",
    folder="station",
    file="station/log.py",
    module='"""What the station measured."""\n\n\ndef is_late(taken: int, due: int) -> bool:\n    return taken > due\n',
    slug="times-are-utc",
    adr_title="Times are shown in UTC",
    context="Two stations in different zones looked as if they measured at different hours.",
    decision="Every time that a person sees is in UTC, and is made with timezone.utc.",
    consequences="Nobody asks which clock was meant.",
    function="label",
    right_code="def label(moment):\\n    from datetime import datetime, timezone\\n\\n    return datetime.fromtimestamp(moment, timezone.utc).strftime('%H')\\n",
    right_answer="label() gives the hour in UTC, as ADR-0001 demands.",
    right_sign=r"timezone\.utc",
    wrong_code="def label(moment):\\n    import time\\n\\n    return time.localtime(moment).tm_hour\\n",
    wrong_answer="label() gives the local hour.",
    wrong_pattern=r"\blocaltime\b",
)
SAMPLES = (_PRICES, _READINGS)


def sample_without(names: Iterable[str]) -> Sample:
    """The first sample whose request does not happen to hold one of the plugin's own names."""
    listed = tuple(names)
    return next((s for s in SAMPLES if not named(s.prompt, listed)), SAMPLES[0])

"""The ``harness`` command, also as ``python -m harness``."""

import gc


def main() -> None:
    # What imports make lives for ever: looking for rubbish in it is a third of the start-up's time.
    gc.set_threshold(150_000, 20, 20)
    from harness.cli import main as run

    try:
        run()
    finally:
        # Nor need it be looked through once more when the process ends.
        gc.freeze()


if __name__ == "__main__":
    main()

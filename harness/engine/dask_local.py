"""A Dask cluster on this machine, as a program: prints its address, and ends when its input does."""

import logging
import sys

from distributed import LocalCluster


def main() -> None:
    """Arguments: workers, runs at once on each, and the name of the resource that bounds them."""
    workers, each, resource = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=workers,
        threads_per_worker=each,
        resources={resource: each},
        memory_limit=0,  # the runs are processes of their own, which it would not see
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()

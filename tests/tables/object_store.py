"""An object store on loopback that asks for keys, for the tests that read from one."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import duckdb
import polars as pl

BUCKET = "clinic"
_FREE = 6  # requests before the store asks for keys: those that make a user and a bucket


@dataclass(frozen=True)
class ObjectStore:
    """A store that is running, and the key of its one user."""

    address: str
    key: str
    secret: str
    client: Any

    @property
    def environment(self) -> dict[str, str]:
        """The variables that programs for S3 read."""
        return {
            "AWS_ENDPOINT_URL": f"http://{self.address}",
            "AWS_ACCESS_KEY_ID": self.key,
            "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_REGION": "us-east-1",
        }

    def put(self, key: str, frame: pl.DataFrame) -> None:
        """Store a table as a Parquet file."""
        content = BytesIO()
        frame.write_parquet(content)
        self.client.put_object(Bucket=BUCKET, Key=key, Body=content.getvalue())


def install_httpfs(home: Path) -> str:
    """Let DuckDB find its extension httpfs below a home that is the user's; say why if there is none."""
    try:
        duckdb.connect(config={"autoinstall_known_extensions": False}).execute("LOAD httpfs")
    except duckdb.Error:
        if find_spec("duckdb_extension_httpfs") is None:
            return f"DuckDB {duckdb.__version__} has no extension httpfs here: `make test-engines` brings one that has"
        from duckdb_extensions import import_extension

        import_extension("httpfs", con=duckdb.connect())
        assert any(home.rglob("httpfs.duckdb_extension"))
    return "" if find_spec("moto") else "there is no moto here, which would be the store: `make test-engines` brings it"


@contextmanager
def running() -> Iterator[ObjectStore]:
    """Start a store."""
    import boto3

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{one.getsockname()[1]}"
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", address.rpartition(":")[2]],
        env={**os.environ, "INITIAL_NO_AUTH_ACTION_COUNT": str(_FREE)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(address)

        def client(service: str, key: str = "none", secret: str = "none") -> Any:  # noqa: S107  (it asks for none yet)
            return boto3.client(
                service,
                endpoint_url=f"http://{address}",
                aws_access_key_id=key,
                aws_secret_access_key=secret,
                region_name="us-east-1",
            )

        people = client("iam")
        people.create_user(UserName="steward")
        allowed = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
        people.put_user_policy(UserName="steward", PolicyName="all", PolicyDocument=policy)
        made = people.create_access_key(UserName="steward")["AccessKey"]
        files = client("s3", made["AccessKeyId"], made["SecretAccessKey"])
        files.create_bucket(Bucket=BUCKET)
        for _ in range(_FREE - 4):
            files.list_buckets()
        yield ObjectStore(address, made["AccessKeyId"], made["SecretAccessKey"], files)
    finally:
        server.kill()
        server.wait()


def _wait(address: str) -> None:
    host, _, port = address.partition(":")
    end = monotonic() + 60
    while True:
        try:
            socket.create_connection((host, int(port)), 1).close()
        except OSError:
            assert monotonic() < end, "the store did not start"
            sleep(0.1)
        else:
            return

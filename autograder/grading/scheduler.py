"""The Dask scheduler that a class is sent to, and who else may reach it."""

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from distributed import Client
from distributed.comm import get_address_host, parse_address
from distributed.comm.core import FatalCommClosedError
from distributed.security import Security

from autograder.common.errors import CourseError
from autograder.showing.wording import sentence

SHOWN = '"On a cluster" in book/grading.md shows how'
SETTINGS = "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__TLS__CLIENT__CERT and …__TLS__CLIENT__KEY"


@dataclass(frozen=True)
class Scheduler:
    """address: as Dask writes it. insecure: it may be used without TLS, whoever reaches it."""

    address: str
    insecure: bool = False

    def check(self) -> None:
        """Raise CourseError where others may reach it, or where there is no certificate for it."""
        try:
            private = self.insecure or _private(self.address)
        except Exception as error:  # Dask raises a FutureWarning for ucx://
            said = sentence(str(error))
            raise CourseError(f"--scheduler {self.address} cannot be used: {said}") from None
        if not private:
            raise CourseError(
                f"Without TLS, whoever reaches {self.address} can read the seed, forge marks and "
                "run code on the workers and here: make certificates and give a tls:// address "
                f"({SHOWN}), or add --insecure where nobody else can reach it."
            )
        if _encrypted(self.address):
            self._check_certificate()

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """A Dask client. Raises CourseError where it cannot be reached, or by others too."""
        client = self._client()
        try:
            self._refuse_if_reached_elsewhere(client)
            yield client
        finally:
            client.close()

    def _client(self) -> Any:
        try:
            return Client(self.address, set_as_default=False)
        except FatalCommClosedError:
            raise CourseError(
                f"The scheduler at {self.address} and this computer do not accept each other's "
                f"certificate: both must be signed by the same authority ({SHOWN})."
            ) from None
        except (OSError, ValueError):
            raise self._unreachable() from None

    def _unreachable(self) -> CourseError:
        return CourseError(
            f"The scheduler at {self.address} cannot be reached. Start it, or correct --scheduler."
        )

    def _check_certificate(self) -> None:
        """Dask, told of no certificate or of a wrong one, fails later and in other words."""
        ours = Security()
        try:
            context = ours.get_connection_args("client")["ssl_context"]
        except OSError as error:
            files = f"{ours.tls_ca_file}, {ours.tls_client_cert} and {ours.tls_client_key}"
            raise CourseError(
                f"The certificates for {self.address}, {files}, cannot be used: {error}."
            ) from None
        if context is None:
            raise CourseError(
                f"{self.address} needs certificates: say where they are in {SETTINGS} ({SHOWN})."
            )

    def _refuse_if_reached_elsewhere(self, client: Any) -> None:
        """A scheduler that was started on this computer without more listens to the network."""
        try:
            own = client.scheduler_info(n_workers=0)["address"]
        except OSError:
            raise self._unreachable() from None
        if not (self.insecure or _private(own)):
            raise CourseError(
                f"The scheduler at {self.address} also listens at {own}, where others may reach "
                "it: start it with --host 127.0.0.1 or with TLS, or add --insecure where nobody "
                "else can."
            )


def _private(address: str) -> bool:
    """Tell whether only who has a certificate, or an account on this computer, reaches it.

    Raises what Dask does if it is not an address.
    """
    host = get_address_host(address)
    return _encrypted(address) or _loopback(host)


def _encrypted(address: str) -> bool:
    return bool(parse_address(address)[0] == "tls")  # also by Dask's default-scheme


def _loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

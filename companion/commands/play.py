"""`companion play` and `companion demo`: the server with its pages, for a real or a simulated table."""

from __future__ import annotations

import signal
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.commands.shared.parameters import DECK, EDITIONS, LANGUAGES, decks_of

if TYPE_CHECKING:
    from companion.editions import Edition
    from companion.server.core.config import ServerConfig
    from companion.server.services.services import Services

    Begin = Callable[[Services, str], object]
    """Starts what is to be shown, once the pages are served at an address."""

DEMO_FOLDER = "demo"
_TICK = 0.2
_RECONNECT_SECONDS = 3.0
# SIGINT is Ctrl-C, SIGTERM ends containers and services, SIGHUP a closed terminal, SIGBREAK a closed window on Windows.
_ENDS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
DEMO_PLAYERS = ("Ann", "Ben", "Cy")


_OPTIONS = (
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=8000,
        show_default=True,
        help="Port of the pages; 0 takes any free one.",
    ),
    click.option("--lan/--no-lan", default=False, show_default=True, help="Let other devices on the network connect."),
    click.option(
        "--tls/--no-tls", default=True, show_default=True, help="With --lan: HTTPS as well, which phone cameras need."
    ),
    click.option(
        "--address",
        "addresses",
        multiple=True,
        metavar="IP",
        help="With --lan: serve only this address of the computer; repeatable.",
    ),
    click.option("--browser/--no-browser", default=True, show_default=True, help="Open the page in the browser."),
    click.option(
        "--language",
        type=LANGUAGES,
        default="en",
        show_default=True,
        help="Language of the spoken sentences.",
    ),
    click.option(
        "--model",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder of the networks, instead of the shipped ones.",
    ),
    DECK,
)


def _common(command: Any) -> Any:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command()
@_common
@click.option("--source", help="First camera: number, path, video file, stream address, phone or simulated.")
@click.pass_context
def play(ctx: click.Context, /, source: str | None, browser: bool, **options: Any) -> None:
    """Start the companion for a real table and open its page."""
    config = _config(ctx, _data(ctx), source=source, decks=decks_of(ctx).folder, **options)
    _serve(config, browser, lambda services, address: None)


@click.command()
@_common
@click.option(
    "--edition",
    type=EDITIONS,
    help="Edition to play; by default the configured one, else mario-kart, or classic with --real.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed of the match.")
@click.option(
    "--real",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="FOLDER",
    help="Folder of card photographs with labels.json, used instead of drawn cards.",
)
@click.pass_context
def demo(
    ctx: click.Context, /, browser: bool, edition: Edition | None, seed: int, real: Path | None, **options: Any
) -> None:
    """Run everything on a table that plays by itself, simulated or with photographs of cards."""
    # Matches of the demo are kept apart from real ones.
    config = _config(ctx, _data(ctx) / DEMO_FOLDER, source=None, decks=decks_of(ctx).folder, demo=True, **options)
    begin = _simulated(edition, seed) if real is None else _photographed(real, edition, seed)
    _serve(config, browser, begin, "table")


def _simulated(edition: Edition | None, seed: int) -> Begin:
    """Return a starter of the simulated table."""
    from companion.editions.library import printed
    from companion.referee.state import Header
    from companion.server.services.selfplay import SelfPlay

    played = edition or printed()["mario-kart"]
    header = Header(played, DEMO_PLAYERS, len(DEMO_PLAYERS) - 1, played.options)
    return lambda services, address: SelfPlay(services, header, seed).start()


def _photographed(folder: Path, edition: Edition | None, seed: int) -> Begin:
    """Return a starter of a device that plays with photographs in the background and prints the result."""
    from companion.editions.library import printed
    from companion.rehearsal.device import Device, DeviceError
    from companion.rehearsal.plan import PlanError, plan_match
    from companion.rehearsal.player import Rehearsal
    from companion.server.access.guests import Role
    from companion.vision.capture.image_files import PictureError

    try:
        plan = plan_match(folder, edition or printed()["classic"], seed, DEMO_PLAYERS)
    except PlanError as error:
        raise click.ClickException(str(error)) from error

    def play(services: Services, address: str) -> None:
        try:
            tally = Rehearsal(Device(address, services.pairing.invite(Role.HOST)), plan, seed).run()
        except (DeviceError, PictureError) as error:
            click.echo(f"The match was broken off: {error}", err=True)
            return
        for sentence in tally.sentences:
            click.echo(sentence)

    return lambda services, address: threading.Thread(target=play, args=(services, address), daemon=True).start()


def _data(ctx: click.Context) -> Path:
    from companion.settings import Settings, default_data_folder

    return ctx.obj.data.folder if isinstance(ctx.obj, Settings) else default_data_folder()


def _config(ctx: click.Context, data: Path, **options: Any) -> ServerConfig:
    from companion.server.core.config import ServerConfig
    from companion.settings import Settings

    hosts = ctx.obj.server.allowed_hosts if isinstance(ctx.obj, Settings) else ()
    return ServerConfig(data=data, allowed_hosts=hosts, **options)


def _serve(config: ServerConfig, browser: bool, begin: Begin, page: str = "setup") -> None:
    """Serve until interrupted. `begin` is called with the pages' address; the host's browser opens `page`."""
    from companion.decks.storage.deck_file import DeckFileError
    from companion.server.access.links import publish_address, withdraw_address
    from companion.server.app import create_app, services_of
    from companion.server.core.malloc_trim import give_back_memory
    from companion.server.network.lan import LanAccessError
    from companion.server.network.listeners import Listeners, PortTakenError
    from companion.storage.store import StoreError
    from companion.vision.capture.frames import SourceError

    with ExitStack() as running:
        ended = running.enter_context(_asked_to_end())
        try:
            app = create_app(config)
            services = services_of(app)
            listeners = Listeners(app, config)
            running.callback(listeners.stop)
            running.callback(services.close)  # first, which ends the pages' streams
            address = listeners.start()
            services.lan = listeners
            give_back_memory()
            if config.lan:
                listeners.set_open(True)
            if config.source is not None:
                services.watch(config.source)
            begin(services, address)
        except (StoreError, PortTakenError, DeckFileError, LanAccessError, SourceError) as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            message = f"The data folder {config.data} cannot be written: {error.strerror}. Name another with --data."
            raise click.ClickException(message) from error
        publish_address(config.data, address)
        running.callback(withdraw_address, config.data)
        _greet(_link(config.data, page), services, listeners.addresses())
        if browser and _is_back(services):
            click.echo("A page of yours that was open is connected again, so no other is opened.")
        elif browser:
            webbrowser.open(_link(config.data, page))
        if sys.stdin is not None and sys.stdin.isatty():
            click.echo("Press Enter for a fresh link.")
            threading.Thread(target=_print_links, args=(config.data, page), daemon=True).start()
        while not ended.wait(_TICK):  # a wait without timeout would block Ctrl-C on Windows
            pass
        click.echo("\nThe match is kept; start again to go on with it.")


@click.command()
@click.option("--open", "browser", is_flag=True, help="Also open it in the browser.")
@click.pass_context
def link(ctx: click.Context, browser: bool) -> None:
    """Print a fresh link that makes a browser the host of the running companion.

    Use it for a browser that is no longer signed in: the link printed at the start works only once. The demo has a link
    of its own.
    """
    from companion.server.access.links import fresh_link

    found = {folder: fresh_link(folder) for folder in (_data(ctx), _data(ctx) / DEMO_FOLDER)}
    links = [each for each in found.values() if each is not None]
    if not links:
        raise click.ClickException(f"No companion is running with the data folder {_data(ctx)}; `companion play` does.")
    for each in links:
        click.echo(each)
    if browser:
        webbrowser.open(links[0])


def _is_back(services: Services) -> bool:
    """Return whether a host's page, left open since the last run, connects again; pages retry every second."""
    from companion.server.access.guests import Role

    hosts = [device.id for device in services.devices.all() if device.role is Role.HOST]
    deadline = time.monotonic() + (_RECONNECT_SECONDS if hosts else 0.0)
    while not (back := any(services.streams.held_by(host) for host in hosts)) and time.monotonic() < deadline:
        time.sleep(_TICK / 2)
    return back


def _link(data: Path, page: str) -> str:
    from companion.server.access.links import fresh_link

    return f"{fresh_link(data)}&p={page}"


def _print_links(data: Path, page: str) -> None:
    for _ in sys.stdin:
        click.echo(f"  {_link(data, page)}")


@contextmanager
def _asked_to_end() -> Iterator[threading.Event]:
    """Yield an event that is set by Ctrl-C or the system's request to end; a second request ends at once."""
    ended = threading.Event()

    def end(number: int, frame: object) -> None:
        if ended.is_set():
            raise KeyboardInterrupt
        ended.set()

    numbers = [getattr(signal, name) for name in _ENDS if hasattr(signal, name)]
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _greet(url: str, services: Services, addresses: list[str]) -> None:
    """Print the addresses: the host's, and the other devices' with a QR code."""
    from companion.server.access.guests import Role

    click.echo(f"The host's page, good for one browser within 15 minutes:\n  {url}")
    if not addresses:
        click.echo("Only this computer can connect; --lan, or the switch on the page, lets other devices in.")
        return
    import segno

    invitation = f"{addresses[0]}/join#t={services.pairing.invite(Role.PLAYER)}&p=player"
    click.echo(f"Other devices: {' or '.join(addresses)}, with the PIN {services.pairing.pin}, or one by this code:")
    segno.make(invitation, error="l").terminal(compact=True, border=2)

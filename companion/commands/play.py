"""`companion play` and `companion demo`: the server with its pages, for a real table or for a simulated one."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.cards import EditionName

if TYPE_CHECKING:
    from companion.server.config import ServerConfig
    from companion.server.house import House

DEMO_FOLDER = "demo"
DEMO_PLAYERS = ("Ann", "Ben", "Cy")


_OPTIONS = (
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=8000,
        show_default=True,
        help="Port of the pages; 0 takes any free one.",
    ),
    click.option("--lan/--no-lan", default=False, show_default=True, help="Let other devices on the network in."),
    click.option(
        "--tls/--no-tls", default=True, show_default=True, help="With --lan: HTTPS as well, which phone cameras need."
    ),
    click.option("--browser/--no-browser", default=True, show_default=True, help="Open the page in the browser."),
    click.option(
        "--language",
        type=click.Choice(["en", "de", "fr", "es"]),
        default="en",
        show_default=True,
        help="Language of what is said aloud.",
    ),
    click.option(
        "--model",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder of the networks, instead of the shipped ones.",
    ),
)


def _common(command: Any) -> Any:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command()
@_common
@click.option("--source", help="Camera to begin with: number, video file, stream address, phone or simulated.")
@click.pass_context
def play(ctx: click.Context, /, source: str | None, browser: bool, **options: Any) -> None:
    """Start the companion for a real table and open its page."""
    config = _config(_data(ctx), source=source, **options)
    _serve(config, browser, lambda house: None)


@click.command()
@_common
@click.option(
    "--edition",
    type=click.Choice([edition.value for edition in EditionName]),
    default=EditionName.MARIO_KART.value,
    show_default=True,
    help="Edition that is played.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Another number plays another match."
)
@click.pass_context
def demo(ctx: click.Context, /, browser: bool, edition: str, seed: int, **options: Any) -> None:
    """Run everything on a simulated table that plays by itself."""
    from companion.referee.editions import EDITIONS
    from companion.referee.state import Header
    from companion.server.selfplay import SelfPlay

    # Matches of the demo do not belong among those of the table.
    config = _config(_data(ctx) / DEMO_FOLDER, source=None, **options)
    played = EDITIONS[EditionName(edition)]
    header = Header(played, DEMO_PLAYERS, len(DEMO_PLAYERS) - 1, played.options)
    _serve(config, browser, lambda house: SelfPlay(house, header, seed).start(), "table")


def _data(ctx: click.Context) -> Path:
    from companion.settings import Settings, default_data_folder

    return ctx.obj.data.folder if isinstance(ctx.obj, Settings) else default_data_folder()


def _config(data: Path, **options: Any) -> ServerConfig:
    from companion.server.config import ServerConfig

    return ServerConfig(data=data, **options)


def _serve(config: ServerConfig, browser: bool, begin: Callable[[House], object], page: str = "setup") -> None:
    """Serve until Ctrl-C; `begin` is called once the pages are there, `page` is the one that the host lands on."""
    from companion.server.app import create_app, house_of
    from companion.server.guests import Role
    from companion.server.house import DoorError
    from companion.server.serve import Listeners, PortTakenError
    from companion.store import StoreError
    from companion.vision.frames import SourceError

    try:
        app = create_app(config)
        house = house_of(app)
        listeners = Listeners(app, config)
        address = listeners.start()
    except (StoreError, PortTakenError, OSError) as error:
        raise click.ClickException(str(error)) from error
    house.doors = listeners
    try:
        if config.lan:
            listeners.set_open(True)
        if config.source is not None:
            house.camera.choose(config.source)
        begin(house)
    except (DoorError, SourceError) as error:
        raise click.ClickException(str(error)) from error
    url = f"{address}/join#t={house.pairing.invite(Role.HOST)}&p={page}"
    _greet(url, house, listeners.addresses())
    if browser:
        webbrowser.open(url)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        click.echo("\nThe match is kept; start again to go on with it.")
    finally:
        house.close()
        listeners.stop()


def _greet(url: str, house: House, addresses: list[str]) -> None:
    """Print where the pages are: the host's own way in, and the other devices' with its QR code."""
    from companion.server.guests import Role

    click.echo(f"The host's page, good for one browser within 15 minutes:\n  {url}")
    if not addresses:
        click.echo("Only this computer can connect; --lan, or the switch on the page, lets other devices in.")
        return
    import segno

    invitation = f"{addresses[0]}/join#t={house.pairing.invite(Role.PLAYER)}&p=player"
    click.echo(f"Other devices: {' or '.join(addresses)}, with the PIN {house.pairing.pin}, or one by this code:")
    segno.make(invitation, error="l").terminal(compact=True, border=2)

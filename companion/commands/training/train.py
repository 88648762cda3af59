"""`companion train`: trains the shipped networks from scratch, step by step or all at once. Needs the `train` extra."""

from __future__ import annotations

from pathlib import Path

import click

from companion.commands.training import fits, networks, options


@click.group()
def train() -> None:
    """Train the networks: scenes, detector, readers, export, evaluate, backs. `all` runs these six in order.

    Further steps improve exported networks, or fit models to their readings.

    An interrupted step resumes where it stopped, except `together`, which continues the training of exported networks.
    """


for _step in (
    networks.scenes,
    networks.detector,
    networks.readers,
    networks.together,
    networks.embedding,
    networks.print_head,
    networks.mine,
    networks.average,
    networks.export,
    fits.evaluate,
    fits.calibrate,
    fits.backs,
    fits.top,
    fits.draws,
    fits.landings,
    fits.decision,
    fits.search,
    fits.fusion,
    fits.no_card,
    fits.foreign,
    fits.mirror,
    fits.hands,
):
    train.add_command(_step)


@train.command(name="all")
@options.work
@options.device
@click.pass_context
def everything(context: click.Context, work: Path, device: str) -> None:
    """Run all six steps with their defaults."""
    options.need_extra()
    context.invoke(networks.scenes, work=work)
    context.invoke(networks.detector, work=work, device=device)
    context.invoke(networks.readers, work=work, device=device)
    context.invoke(networks.export, work=work)
    context.invoke(fits.evaluate, work=work)
    context.invoke(fits.backs, work=work)

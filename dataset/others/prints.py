"""Boards, diagrams, screens, covers, logos and tokens."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np

from companion.dataset.artist.drawing import paintings, scenery
from companion.dataset.artist.drawing.ink import ellipse, mix, rounded, stroke
from companion.dataset.others.cards import Fonts
from companion.dataset.others.sheet import Sheet, Thing, any_color, dark, lettering, paper, word

_KEYS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "+", "0", "C", "AC", "x2", "?", "Esc", "Q", "+4")


def checkered_board(rng: np.random.Generator, fonts: Fonts) -> Thing:
    """Return a board of checks with men on it, often with letters and digits along its rim."""
    cells, side = int(rng.choice([8, 8, 10])), rng.uniform(180, 320)
    sheet = Sheet(rng, (side, side), any_color(rng) if rng.random() < 0.5 else paper(rng))
    light, dim, hand = paper(rng), any_color(rng), lettering(rng, fonts)
    men, rim, share = [any_color(rng), paper(rng) if rng.random() < 0.5 else dark(rng)], 0.06, rng.uniform(0, 0.6)
    pitch = (1 - 2 * rim) / cells
    for row, column in np.ndindex(cells, cells):
        at = sheet.at(rim + pitch * (column + 0.5), rim + pitch * (row + 0.5))
        unit = sheet.width * pitch
        sheet.shape(rounded(unit, unit, 0), at, dim if (row + column) % 2 else light)
        if rng.random() < share:
            man, size = men[int(row >= cells / 2)], unit * rng.uniform(0.6, 0.85)
            sheet.shape(ellipse(size, size), at, mix(man, (0, 0, 0), 0.4))
            for ring in range(int(rng.integers(1, 4))):
                inner = size * (0.92 - 0.25 * ring)
                sheet.shape(ellipse(inner, inner), at, man if ring % 2 == 0 else mix(man, (255, 255, 255), 0.5))
    if rng.random() < 0.5:
        for number in range(cells):
            along = rim + pitch * (number + 0.5)
            sheet.text("ABCDEFGHIJ"[number], sheet.at(along, 0.97), sheet.width * 0.03, dark(rng), hand)
            sheet.text(str(number + 1), sheet.at(0.03, along), sheet.width * 0.03, dark(rng), hand)
    return sheet.finished()


def track_board(rng: np.random.Generator, fonts: Fonts) -> Thing:
    """Return a board with a track of coloured fields that hold numbers, arrows and words."""
    sheet = Sheet(rng, (rng.uniform(160, 300), rng.uniform(160, 300)), any_color(rng))
    if rng.random() < 0.4:
        paintings.paint(sheet.canvas, rng, ())
    hand, count, round_ = lettering(rng, fonts), int(rng.integers(5, 9)), rng.random() < 0.4
    step = 1 / count
    for row, column in np.ndindex(count, count):
        if 0 < row < count - 1 and 0 < column < count - 1 and rng.random() < 0.8:
            continue
        at, size = (
            sheet.at((column + 0.5) * step, (row + 0.5) * step),
            0.9 * step * np.array([sheet.width, sheet.height]),
        )
        color = any_color(rng)
        sheet.shape(ellipse(*size) if round_ else rounded(size[0], size[1], 4), at, color)
        text = (
            str(rng.integers(0, 64))
            if rng.random() < 0.6
            else str(rng.choice(["GO", "+2", "+4", "→", "X", "?", "STOP"]))
        )
        sheet.text(text, at, size[1] * rng.uniform(0.2, 0.6), dark(rng) if sum(color) > 380 else paper(rng), hand)
    return sheet.finished()


def diagram(rng: np.random.Generator, fonts: Fonts) -> Thing:
    """Return a diagram: labelled boxes, coloured lines and arrows, a table or a grid of dates."""
    wide, light = rng.uniform(100, 300), rng.random() < 0.75
    sheet = Sheet(rng, (wide, wide * rng.uniform(0.6, 1.45)), paper(rng) if light else dark(rng))
    hand, line, spots = lettering(rng, fonts), dark(rng) if light else paper(rng), []
    unit = sheet.width / 60
    for _ in range(int(rng.integers(4, 16))):
        at, size = sheet.at(*rng.uniform(0.1, 0.9, 2)), sheet.width * rng.uniform(0.06, 0.24, 2)
        shape = ellipse(*size) if rng.random() < 0.3 else rounded(size[0], size[1], float(rng.choice([0, 6])))
        color, solid = any_color(rng), rng.random() < 0.5
        if solid:
            sheet.shape(shape, at, color)
        stroke(sheet.canvas, shape + at, line if solid else color, unit * rng.uniform(0.3, 1.2), True)
        text = (
            word(rng) if rng.random() < 0.4 else str(rng.choice([str(rng.integers(0, 100)), f"+{rng.integers(1, 9)}"]))
        )
        sheet.text(text, at, size[1] * rng.uniform(0.25, 0.7), line if rng.random() < 0.6 else any_color(rng), hand)
        spots.append(at)
    for start, end in pairwise(spots):
        bend = np.array([end[0], start[1]]) if rng.random() < 0.6 else (start + end) / 2
        color, thick = any_color(rng) if rng.random() < 0.6 else line, unit * rng.uniform(0.3, 1.0)
        stroke(sheet.canvas, np.stack([start, bend, end]), color, thick, False)
        if rng.random() < 0.5:
            tip = tuple(np.round(end).astype(int).tolist())
            cv2.arrowedLine(sheet.canvas, tuple(np.round(bend).astype(int).tolist()), tip, color, max(1, round(thick)))
    return sheet.finished()


def screen(rng: np.random.Generator, fonts: Fonts) -> Thing:
    """Return a screen or a set of keys: rows of coloured fields with signs, a bar with words."""
    size = (
        (rng.uniform(62, 80), rng.uniform(130, 165))
        if rng.random() < 0.5
        else (rng.uniform(150, 320), rng.uniform(110, 200))
    )
    sheet = Sheet(rng, size, dark(rng) if rng.random() < 0.6 else paper(rng), rng.uniform(0, 8))
    rim = round(min(sheet.width, sheet.height) * 0.04)
    glass = sheet.canvas[rim : sheet.height - rim, rim : sheet.width - rim]
    if rng.random() < 0.4:
        paintings.paint(glass, rng, ())
    else:
        glass[:] = any_color(rng)
    hand = lettering(rng, fonts)
    columns = int(rng.integers(3, 6)) if size[0] < size[1] else int(rng.integers(4, 9))
    rows, same = max(2, round(columns * size[1] / size[0])), rng.random() < 0.4
    color, corner = any_color(rng), rng.uniform(0, 0.5)
    for row, column in np.ndindex(rows, columns):
        if rng.random() < 0.15:
            continue
        color = color if same else any_color(rng)
        unit = 0.7 * min(sheet.width / columns, sheet.height / rows)
        at = sheet.at((column + 0.5) / columns, (row + 0.6) / (rows + 0.3))
        sheet.shape(rounded(unit, unit, corner * unit), at, color)
        ink = dark(rng) if sum(color) > 380 else paper(rng)
        sheet.text(str(rng.choice(_KEYS)), at, unit * rng.uniform(0.3, 0.6), ink, hand)
    sheet.text(f"{word(rng)} {rng.integers(0, 24)}:{rng.integers(10, 60)}", sheet.at(0.5, 0.06), rim, paper(rng), hand)
    return sheet.finished()


def cover(rng: np.random.Generator, fonts: Fonts) -> Thing:
    """Return the cover of a book, a box or a magazine: a ground or a picture, a title, a large number or a sign."""
    sheet = Sheet(rng, (rng.uniform(70, 210), rng.uniform(90, 290)), any_color(rng))
    if rng.random() < 0.5:
        paintings.paint(sheet.canvas, rng, ())
    elif rng.random() < 0.4:
        scenery.draw_scenery(sheet.canvas, any_color(rng), rng)
    hand = lettering(rng, fonts)
    if rng.random() < 0.5:
        oval = ellipse(sheet.width * rng.uniform(0.4, 0.85), sheet.height * rng.uniform(0.3, 0.8), rng.uniform(-40, 40))
        sheet.shape(oval, sheet.at(0.5, 0.5), paper(rng) if rng.random() < 0.5 else any_color(rng))
    for y in rng.uniform(0.08, 0.92, int(rng.integers(1, 4))):
        text = word(rng) if rng.random() < 0.7 else str(rng.integers(1, 2030))
        sheet.text(text, sheet.at(0.5, float(y)), sheet.height * rng.uniform(0.05, 0.2), any_color(rng), hand)
    return sheet.finished()


def logo(rng: np.random.Generator, fonts: Fonts) -> Thing:
    """Return a package, a sticker or a road sign: rings and slanted ovals with letters."""
    sheet = Sheet(
        rng, (rng.uniform(40, 90), rng.uniform(40, 110)), paper(rng) if rng.random() < 0.4 else any_color(rng)
    )
    hand, turn, wide = lettering(rng, fonts), rng.uniform(-45, 45), rng.uniform(0.5, 0.95)
    for ring in range(int(rng.integers(1, 4))):
        share = wide * (1 - 0.18 * ring)
        sheet.shape(ellipse(sheet.width * share, sheet.height * share, turn), sheet.at(0.5, 0.5), any_color(rng))
    text = word(rng) if rng.random() < 0.7 else str(rng.choice(["M", "P", "S", "30", "50", "80", "X", "!", "+", "7"]))
    sheet.text(
        text, sheet.at(0.5, 0.5), sheet.height * rng.uniform(0.15, 0.4), any_color(rng), hand, turn * rng.choice([0, 1])
    )
    if rng.random() < 0.4:
        bar = rounded(sheet.width * wide, sheet.height * 0.07, 0)
        sheet.shape(
            bar if rng.random() < 0.5 else ellipse(sheet.width, sheet.height * 0.06, 45),
            sheet.at(0.5, 0.5),
            any_color(rng),
        )
    return sheet.finished()


def token(rng: np.random.Generator, fonts: Fonts) -> Thing:
    """Return a poker chip, a coin or a beer mat: concentric rings, notches, a number or a letter."""
    side = rng.uniform(25, 95)
    sheet = Sheet(rng, (side, side), any_color(rng), side / 2)
    middle, notch = sheet.at(0.5, 0.5), paper(rng)
    for angle in np.linspace(0, 2 * np.pi, int(rng.choice([1, 6, 8])), endpoint=False):
        at = middle + sheet.width * 0.43 * np.array([np.cos(angle), np.sin(angle)])
        sheet.shape(ellipse(sheet.width * 0.14, sheet.width * 0.14), at, notch)
    for share in np.sort(rng.uniform(0.3, 0.8, int(rng.integers(1, 4))))[::-1]:
        sheet.shape(ellipse(sheet.width * share, sheet.width * share), middle, any_color(rng))
    text = str(rng.choice(["0", "1", "2", "5", "8", "10", "25", "50", "100", "K", "D"]))
    sheet.text(text, middle, sheet.height * rng.uniform(0.15, 0.35), any_color(rng), lettering(rng, fonts))
    return sheet.finished()

"""Restores dark and motion-blurred pictures for a second look; that loses detail and costs time."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist

import cv2
import numpy as np

from companion.vision.core.geometry import Image

# A picture whose white (98th percentile of its brightest channel) is below the first value is dark; it is amplified
# until white is the second value, by at most this gain, after denoising over `_GRAIN` pixels.
_DARK, _LIGHT, _MOST_GAIN, _GRAIN = 90.0, 225.0, 8.0, 1.6
# Side of the square that is analysed for motion, and range of motion in its pixels.
_SIDE, _SHORTEST, _LONGEST = 512, 6.0, 64.0
# Blur, as measured by `blur`, from which a picture is deblurred.
_BLURRED = 0.42
# Minimum depth of the cepstral trough, in standard deviations of the cepstrum.
_CLEAR = 4.5
# Strength of the filter against noise in multiples of the noise.
_ALIKE = 2.0
# Noise-to-signal power ratio of the Wiener filter; smaller values amplify noise.
_NOISE = 0.015


def restored(image: Image) -> Iterator[Image]:
    """Yield restored versions of a (H, W, 3) BGR uint8 picture, of the same size."""
    light = lightened(image)
    if light is not None:
        yield light
    sharp = sharpened(image if light is None else light)
    if sharp is not None:
        yield sharp


def lightened(image: Image) -> Image | None:
    """Return a dark picture denoised and brightened; None if it is not dark."""
    smooth = cv2.GaussianBlur(image, (0, 0), _GRAIN)
    white = float(np.percentile(smooth[::4, ::4].max(axis=2), 98))
    if white >= _DARK:
        return None
    return np.asarray(cv2.convertScaleAbs(smooth, alpha=min(_MOST_GAIN, _LIGHT / max(white, 1.0))), np.uint8)


def sharpened(image: Image) -> Image | None:
    """Return a picture without straight, uniform motion blur (Wiener filter); None if no such motion is detected."""
    moved = movement(image)
    if moved is None:
        return None
    along = float(np.hypot(*moved))
    margin = int(along) + 2
    padded = cv2.copyMakeBorder(image, margin, margin, margin, margin, cv2.BORDER_REFLECT).astype(np.float32)
    streak = np.zeros(padded.shape[:2], np.float32)
    middle = np.array([margin, margin], np.float64)
    ends = [tuple(np.round((middle + sign * np.array(moved) / 2) * 16).astype(int).tolist()) for sign in (-1, 1)]
    cv2.line(streak, ends[0], ends[1], 1.0, 1, cv2.LINE_AA, shift=4)
    spread = np.fft.rfft2(np.roll(streak / streak.sum(), (-margin, -margin), (0, 1)))
    inverse = np.conj(spread) / (np.abs(spread) ** 2 + _NOISE)
    sharp = np.stack(
        [np.fft.irfft2(np.fft.rfft2(padded[..., k]) * inverse, s=padded.shape[:2]) for k in range(3)], axis=2
    )
    return np.clip(sharp[margin:-margin, margin:-margin], 0, 255).astype(np.uint8)


def blur(image: Image) -> float:
    """Return the blur of a (H, W, 3) BGR picture, from 0 (sharp) to 1.

    The blurrier of two directions counts (Crété et al., The Blur Effect: Perception and Estimation with a New
    No-Reference Perceptual Blur Metric, 2007).
    """
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
    shares = []
    for axis, size in ((1, (9, 1)), (0, (1, 9))):
        before = np.abs(np.diff(grey, axis=axis))
        after = np.abs(np.diff(cv2.blur(grey, size), axis=axis))
        shares.append(1 - float(np.maximum(before - after, 0).sum()) / max(float(before.sum()), 1e-6))
    return max(shares)


def without_grain(image: Image) -> Image:
    """Return a (H, W, 3) BGR picture in grey (H, W, 3), denoised; edges are preserved.

    Non-local means (Buades et al., A Non-Local Algorithm for Image Denoising, 2005).
    """
    grey = cv2.fastNlMeansDenoising(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), h=_ALIKE * grain(image))
    return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)


def grain(image: Image) -> float:
    """Return the noise of a (H, W, 3) BGR picture's brightness: its standard deviation in levels of 255.

    Median of second differences in both directions, which vanish on smooth surfaces (Immerkær, Fast Noise Variance
    Estimation, 1996). Half of normal noise lies between its quartiles.
    """
    second = cv2.Sobel(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.CV_32F, 2, 2)
    along, down = cv2.getDerivKernels(2, 2, 3)
    spread = float(np.linalg.norm(along) * np.linalg.norm(down))
    return float(np.median(np.abs(second[1:-1, 1:-1]))) / (spread * NormalDist().inv_cdf(0.75))


def movement(image: Image) -> tuple[float, float] | None:
    """Return the motion (x, y) in pixels during the exposure of a picture; None if it is not clear.

    Uniform motion leaves zeros in the spectrum and a trough in the cepstrum at its length (Cannon, Blind Deconvolution
    of Spatially Invariant Image Blurs with Phase, 1976).
    """
    scale = min(1.0, _SIDE / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.float32)
    height, width = grey.shape
    if grey.std() < 1 or blur(np.asarray(small, np.uint8)) < _BLURRED:
        return None
    field = np.zeros((_SIDE, _SIDE), np.float32)
    field[:height, :width] = (grey - grey.mean()) * np.outer(np.hanning(height), np.hanning(width))
    levels = np.log(np.abs(np.fft.rfft2(field)) + 0.1)
    echoes = np.fft.fftshift(np.fft.irfft2(levels, s=field.shape)).astype(np.float32)
    cepstrum = np.asarray(cv2.GaussianBlur(echoes, (0, 0), 0.8), np.float32)
    y, x = np.mgrid[-_SIDE // 2 : _SIDE // 2, -_SIDE // 2 : _SIDE // 2]
    distance = np.hypot(x, y)
    near = (distance >= _SHORTEST) & (distance <= min(_LONGEST, 0.45 * min(height, width))) & (x >= 0)
    if not near.any():
        return None
    depths = np.where(near, -cepstrum, -np.inf)
    place = np.unravel_index(int(depths.argmax()), depths.shape)
    if depths[place] < _CLEAR * float(cepstrum[near].std()):
        return None
    return float(x[place]) / scale, float(y[place]) / scale

"""Signals that end a program come when they like, also while another is being handled."""

import os
import signal
import threading
import time

from repaircore.stop_signals import StopSignals


def test_thousand_signals_at_once_are_one() -> None:
    with StopSignals() as signals:
        for number in 500 * [signal.SIGTERM, signal.SIGINT]:
            signal.raise_signal(number)

        assert signals.wait(0)


def test_signal_wakes_whoever_waits() -> None:
    with StopSignals() as signals:
        sender = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM))
        sender.start()
        began = time.monotonic()

        assert signals.wait(60)
        assert time.monotonic() - began < 60
        sender.join()


def test_without_a_signal_the_time_passes() -> None:
    with StopSignals() as signals:
        assert not signals.wait(0.01)


def test_afterwards_signals_do_what_they_did_before() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with StopSignals():
        assert signal.getsignal(signal.SIGTERM) is not before

    assert signal.getsignal(signal.SIGTERM) is before

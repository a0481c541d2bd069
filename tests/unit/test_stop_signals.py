"""Stop signals may arrive at any time, even while another is being handled."""

import os
import signal
import threading
import time

from repaircore.stop_signals import StopSignals


def test_thousand_signals_at_once_count_as_one() -> None:
    with StopSignals() as signals:
        for number in 500 * [signal.SIGTERM, signal.SIGINT]:
            signal.raise_signal(number)

        assert signals.wait(0)


def test_signal_wakes_a_waiting_caller() -> None:
    with StopSignals() as signals:
        sender = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM))
        sender.start()
        started = time.monotonic()

        assert signals.wait(60)
        assert time.monotonic() - started < 60
        sender.join()


def test_wait_times_out_without_a_signal() -> None:
    with StopSignals() as signals:
        assert not signals.wait(0.01)


def test_signal_handlers_are_restored_afterwards() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with StopSignals():
        assert signal.getsignal(signal.SIGTERM) is not before

    assert signal.getsignal(signal.SIGTERM) is before

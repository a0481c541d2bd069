from repaircore.messages.retries import pause_after


def test_pauses_grow_until_the_message_is_given_up() -> None:
    pauses = [pause_after(attempts) for attempts in range(1, 8)]

    assert [pause and pause.total_seconds() / 60 for pause in pauses] == [1, 5, 30, 120, 360, 720, None]

"""Digits that only their movement shows: what pictures tell of them, and who is asked."""

import re
from functools import cache
from io import BytesIO

import numpy as np
import pytest
from django.test import Client
from PIL import Image

from rankme.actions.sitting import figures as rater_figures
from rankme.checks.moving_figures import (
    CELLS,
    DARK,
    DIGITS,
    FRAME_MS,
    LIGHT,
    WAYS,
    draw_figure,
    draw_frames,
    shape_of,
)
from rankme.errors import InvalidDefinition
from rankme.queries.check_answers import answers_of
from rankme.queries.definitions import frozen_definition
from rankme.queries.quality import quality_of
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.checks.raters import FIGURE
from tests.pages.addresses import address
from tests.pages.rater.visits import arrive

pytestmark = pytest.mark.django_db
CHANCE = 1 / len(DIGITS)
QUIZ = {
    "name": "what",
    "kind": "quiz",
    "options": {"question": "What?", "choices": ["Facts", "Style"], "answer": "Style", "tries": 2},
}


# --- What pictures tell a program ----------------------------------------------------------------


def matches(field):
    """How well each digit fits at each place: what is inside, less what is around it."""
    spectrum = np.fft.rfft2(field - field.mean())
    for digit in DIGITS:
        height, width = shape_of(digit).shape
        found = np.fft.irfft2(spectrum * template(digit), s=field.shape)
        yield found[: CELLS - height, : CELLS - width]


@cache
def template(digit: str):
    shape = np.where(shape_of(digit), 1.0, -1.0)
    return np.fft.rfft2(shape, s=(CELLS, CELLS)).conj()


def best(found) -> str:
    peaks = np.array([each.max() for each in found]).reshape(-1, len(DIGITS))
    return list(DIGITS)[int(peaks.max(axis=0).argmax())]


def read_density(frame) -> str:
    """The digit in which there are more or fewer light cells than around it."""
    return best(np.abs(each) for each in matches(frame.astype(float)))


def read_movement(frame, later, apart: int) -> str:
    """The digit whose cells have moved another way than those around it."""
    before, after = np.where(frame, 1.0, -1.0), np.where(later, 1.0, -1.0)
    moved = [np.roll(before, np.multiply(way, apart), axis=(0, 1)) * after for way in WAYS]
    ways = ((0, 1), (1, 0), (2, 3), (3, 2))
    return best(found for way, back in ways for found in matches(moved[way] - moved[back]))


def share_read(reader, seeds: int = 24) -> float:
    right = 0
    for seed in range(seeds):
        digit, frames = draw_frames(np.random.default_rng(seed))
        right += reader(frames) == digit
    return right / seeds


def test_one_picture_tells_nothing_and_two_that_follow_tell_the_digit():
    assert share_read(lambda frames: read_density(frames[5])) < 3 * CHANCE
    assert share_read(lambda frames: read_density(frames.mean(axis=0))) < 3 * CHANCE
    assert share_read(lambda frames: read_movement(frames[5], frames[6], 1)) == 1


def test_two_pictures_a_second_apart_tell_nothing():
    apart = 1_000 // FRAME_MS
    assert (
        share_read(lambda frames: read_movement(frames[5], frames[5 + apart], apart)) < 3 * CHANCE
    )


def test_the_reader_of_one_picture_would_find_a_digit_of_more_dots():
    """The control of the first test: with 70 % light cells in the digit, one frame tells it."""

    def lit(digit, rng):
        frame = rng.random((CELLS, CELLS)) < 0.5
        shape = shape_of(digit)
        part = frame[8 : 8 + shape.shape[0], 8 : 8 + shape.shape[1]]
        part |= shape & (rng.random(shape.shape) < 0.4)
        return frame

    rng = np.random.default_rng(1)
    assert all(read_density(lit(digit, rng)) == digit for digit in DIGITS)


def test_each_cell_of_a_frame_is_a_fair_coin_like_its_neighbours():
    frames = np.array([draw_frames(np.random.default_rng(seed))[1][7] for seed in range(40)])
    signs = np.where(frames, 1.0, -1.0)
    cells = signs.size
    for found in (signs.mean(), *((signs * np.roll(signs, way, (1, 2))).mean() for way in WAYS)):
        assert abs(found) < 4 / np.sqrt(cells)


def test_nothing_flashes():
    """WCAG 2.2: a change of luminance by a tenth or more; no two greys differ by so much."""
    figure = draw_figure(3)
    picture = Image.open(BytesIO(figure.picture))
    greys = set()
    for number in range(picture.n_frames):
        picture.seek(number)
        greys |= set(np.unique(np.asarray(picture.convert("RGB"))))
    assert greys == {DARK, LIGHT}
    assert luminance(LIGHT) - luminance(DARK) < 0.1


def luminance(grey: int) -> float:
    share = grey / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def test_the_picture_has_the_frames_that_were_drawn():
    digit, frames = draw_frames(np.random.default_rng(9))
    figure = draw_figure(9)
    picture = Image.open(BytesIO(figure.picture))
    assert (figure.digit, picture.n_frames, picture.info["loop"]) == (digit, len(frames), 0)
    for number, frame in enumerate(frames):
        picture.seek(number)
        assert picture.info["duration"] == FRAME_MS
        assert (np.asarray(picture.convert("L")) == np.where(frame, LIGHT, DARK)).all()


# --- Who is asked, and what is kept --------------------------------------------------------------


def at_the_figure(client, *checks, **definition):
    campaign = make_campaign(slider_definition(checks=list(checks), **definition))
    rater = arrive(client, campaign)
    client.post(address("instructions", campaign))
    return campaign, rater


def digit_for(rater) -> str:
    check = rater_figures.figures_of(frozen_definition(rater.campaign).definition)[0]
    return rater_figures.figure_for(rater, check).digit


def send(client, campaign, **fields):
    answers = {f"figure-{name.replace('_', '-')}": value for name, value in fields.items()}
    return client.post(address("quiz", campaign), answers)


def passed(campaign, rater) -> bool | None:
    (found,) = answers_of(campaign, [rater.pk])
    return found.answer.passed


def test_the_digit_leads_to_the_work_and_is_not_on_the_page(client):
    campaign, rater = at_the_figure(client, FIGURE)
    page = client.get(address("quiz", campaign)).content.decode()
    without_picture = re.sub(r'src="data:[^"]+"', "", page)
    assert all(without_picture.count(f'value="{digit}"') == 1 for digit in DIGITS)
    assert send(client, campaign, moving=digit_for(rater))["Location"] == address("work", campaign)
    assert client.get(address("work", campaign)).status_code == 200
    assert passed(campaign, rater) is True


def test_the_question_in_words_counts_the_same_and_nothing_says_which_was_answered(client):
    campaign, rater = at_the_figure(client, FIGURE)
    send(client, campaign, moving_words="A horse")
    by_words = rater.quiz_attempts.get().answers
    client.cookies.clear()
    other = arrive(client, campaign)
    client.post(address("instructions", campaign))
    send(client, campaign, moving=digit_for(other))
    assert other.quiz_attempts.get().answers == by_words == {"moving": "right"}
    assert passed(campaign, rater) is passed(campaign, other) is True


def test_who_chose_a_digit_first_may_still_answer_in_words(client):
    campaign, rater = at_the_figure(client, FIGURE)
    wrong = next(digit for digit in DIGITS if digit != digit_for(rater))
    send(client, campaign, moving=wrong, moving_words="A horse")
    assert passed(campaign, rater) is True


@pytest.mark.parametrize("words", [True, False])
def test_a_wrong_answer_is_shown_and_counts_nowhere(client, words):
    campaign, rater = at_the_figure(client, FIGURE)
    wrong = next(digit for digit in DIGITS if digit != digit_for(rater))
    answer = send(client, campaign, **({"moving_words": "A spoon"} if words else {"moving": wrong}))
    assert answer["Location"] == address("work", campaign)
    assert passed(campaign, rater) is False
    (line,) = quality_of(campaign, [rater])
    assert line.failed_share is None and "failed" not in line.sentence
    olga = Client()
    olga.force_login(campaign.owner)
    page = olga.get(address("campaign-rater", campaign, rater.label)).content.decode()
    assert "Moving figures are evidence alone" in page


@pytest.mark.parametrize("rule", ["exclude_if", "flag_if", "gate_if"])
@pytest.mark.parametrize("measure", ["moving.failed", "figure.failed_share"])
def test_no_rule_can_ask_for_a_figure(rule, measure):
    with pytest.raises(InvalidDefinition, match=f"there is no measure “{measure}”"):
        slider_definition(checks=[FIGURE], rules={rule: f"{measure} > 0"})


def test_a_figure_that_was_not_answered_is_asked_again_with_what_was_chosen(client):
    campaign, rater = at_the_figure(client, FIGURE, QUIZ)
    page = client.post(address("quiz", campaign), {"quiz-what": "Style"})
    assert page.status_code == 422
    assert "Choose a digit, or answer the question instead." in page.content.decode()
    assert not rater.quiz_attempts.exists()


def test_another_try_at_the_questions_does_not_ask_for_the_figure_again(client):
    campaign, rater = at_the_figure(client, FIGURE, QUIZ)
    quiz = address("quiz", campaign)
    page = client.post(quiz, {"quiz-what": "Facts", "figure-moving": digit_for(rater)})
    assert page.status_code == 422 and "figure-moving" not in page.content.decode()
    assert "figure-moving" not in client.get(quiz).content.decode()
    wrong = next(digit for digit in DIGITS if digit != digit_for(rater))
    client.post(quiz, {"quiz-what": "Style", "figure-moving": wrong})
    given = {each.answer.name: each.answer.passed for each in answers_of(campaign, [rater.pk])}
    assert given == {"moving": True, "what": True}


def test_each_rater_has_another_figure_and_the_same_each_time(client):
    campaign, rater = at_the_figure(client, FIGURE)
    check = rater_figures.figures_of(frozen_definition(campaign).definition)[0]
    pictures = {
        rater_figures.figure_for(each, check).picture
        for each in (rater, rater, make_rater(campaign, "w1"), make_rater(campaign, "w2"))
    }
    assert len(pictures) == 3


def test_without_figures_the_questions_have_no_trace_of_them(client):
    campaign, _ = at_the_figure(client, QUIZ)
    page = client.get(address("quiz", campaign)).content.decode()
    assert "figures.css" not in page and "figure-" not in page


def test_the_preview_shows_a_figure(client):
    campaign = make_campaign(slider_definition(checks=[FIGURE]), launch=False)
    client.force_login(campaign.owner)
    page = client.get(address("preview", campaign), {"page": "quiz"}).content.decode()
    assert "Show the moving dots" in page

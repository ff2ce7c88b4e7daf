"""Votes of arenas: what is read, and strengths with errors clustered by judge."""

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

from analysis.cli.commands import main
from analysis.errors import TableError, Undefined
from analysis.inference import share_correction
from analysis.ranking.arena import arena_score, arena_strengths, read_votes
from benchmarks.arena_speed import votes

# arena-rank 0.1.1 (JAX), BradleyTerry(n_competitors=6) on the votes of `made`, 26 November 2026.
ARENA_RANK = [
    1011.4832659290088, 1071.3458858283573, 1006.7664300730457, 798.271366869998,
    1087.9073874824246, 1024.2256638171655,
]  # fmt: skip


def as_csv(table: pa.Table) -> io.BytesIO:
    file = io.BytesIO()
    arrow_csv.write_csv(table, file)
    return io.BytesIO(file.getvalue())


def written(*rows: str, head: str = "model_a,model_b,winner,judge") -> io.BytesIO:
    return io.BytesIO("\n".join([head, *rows, ""]).encode())


@pytest.fixture(scope="module")
def made() -> pa.Table:
    return votes(4000, 6, 150)


def test_csv_and_parquet_give_the_same_votes_whatever_else_is_in_them(made):
    file = io.BytesIO()
    parquet.write_table(made.append_column("language", [["en"] * len(made)]), file)
    one, other = read_votes(as_csv(made)).pairs, read_votes(io.BytesIO(file.getvalue())).pairs
    assert one.systems == other.systems == tuple(f"model-{k:03d}" for k in range(6))
    for name in ("first", "second", "outcome"):
        assert (getattr(one, name) == getattr(other, name)).all()
    by_name = [[pairs.raters[k] for k in pairs.rater[:50]] for pairs in (one, other)]
    assert by_name[0] == by_name[1] == made["judge"].to_pylist()[:50]


def test_strengths_and_clustered_errors_equal_statsmodels(made):
    import statsmodels.api as sm

    found = read_votes(as_csv(made))
    pairs, fitted = found.pairs, arena_strengths(found)
    design = np.zeros((len(pairs), 6))
    rows = np.arange(len(pairs))
    design[rows, pairs.first], design[rows, pairs.second] = 1, -1
    model = sm.GLM(1 - pairs.outcome / 2, design[:, 1:], sm.families.Binomial()).fit(
        tol=1e-14, cov_type="cluster", cov_kwds={"groups": pairs.rater, "use_correction": False}
    )
    theirs = np.r_[0, model.params] - np.r_[0, model.params].mean()
    mine = {each.system: each for each in fitted.systems}
    assert [mine[name].ability for name in pairs.systems] == pytest.approx(theirs, abs=1e-6)
    judges = len(np.unique(pairs.rater))
    centre = np.eye(6)[:, 1:] - 1 / 6
    spread = centre @ np.asarray(model.cov_params()) @ centre.T * judges / (judges - 1)
    spread *= share_correction(pairs.rater)
    errors = [mine[name].standard_error for name in pairs.systems]
    assert errors == pytest.approx(np.sqrt(np.diag(spread)), abs=1e-6)


def test_scores_are_those_of_the_arenas_own_package(made):
    found = {each.system: each for each in arena_strengths(read_votes(as_csv(made))).systems}
    scores = [arena_score(found[f"model-{k:03d}"].ability) for k in range(6)]
    assert scores == pytest.approx(ARENA_RANK, abs=1e-4)


def test_judges_who_vote_alike_widen_errors_and_their_number_is_effective():
    """Each judge gives one vote 40 times: as many judges, not votes, are evidence."""
    few = [f"A,B,{'model_a' if k % 3 else 'model_b'},j{k}" for k in range(30)]
    many = [row for row in few for _ in range(40)]
    one, other = (arena_strengths(read_votes(written(*rows))) for rows in (few, many))
    assert other.systems[0].standard_error == pytest.approx(one.systems[0].standard_error)
    assert other.df == pytest.approx(29)
    alone = written(*(row.rpartition(",")[0] for row in many), head="model_a,model_b,winner")
    independent = arena_strengths(read_votes(alone))
    assert independent.systems[0].standard_error < one.systems[0].standard_error / 5


def test_ties_and_two_bad_answers_are_half_a_win_for_each():
    rows = ["A,B,tie", "A,B,both_bad", "B,A,tie (bothbad)", "A,B,model_a", "B,A,model_a"]
    found = arena_strengths(read_votes(written(*rows, head="model_a,model_b,winner")))
    assert [each.ability for each in found.systems] == pytest.approx([0, 0])
    assert arena_score(np.log(10)) == pytest.approx(1400)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["A,B,model_c,j"], "Vote 1: winner is 'model_c', but must be model_a"),
        (["A,B,tie,j", "A,A,tie,j"], "Vote 2 compares 'A' with itself"),
        (["A,B,tie,j", "A,,tie,j"], "Vote 2: model_b is empty"),
        (["A,B,tie,"], "Vote 1: judge is empty"),
        ([], "There is no vote"),
    ],
)
def test_votes_that_cannot_be_counted_are_refused_with_their_place(rows, said):
    with pytest.raises(TableError, match=said):
        read_votes(written(*rows))


def test_files_of_something_else_are_refused():
    with pytest.raises(TableError, match="Missing column: winner"):
        read_votes(written("A,B", head="model_a,model_b"))
    with pytest.raises(TableError, match="not a file of votes"):
        read_votes(io.BytesIO(b"PAR1 and nothing more"))
    with pytest.raises(TableError, match="not a file of votes"):
        read_votes("no-such-file.csv")


def test_two_judges_claim_nothing():
    rows = [f"A,B,{'model_a' if k % 3 else 'model_b'},j{k % 2}" for k in range(30)]
    with pytest.raises(Undefined, match="2 raters"):
        arena_strengths(read_votes(written(*rows)))


def test_the_command_prints_scores_and_says_what_errors_allow_for(made, tmp_path, capsys):
    file = tmp_path / "votes.csv"
    file.write_bytes(as_csv(made).getvalue())
    assert main(["arena", str(file), "--json"]) == 0
    systems = json.loads(capsys.readouterr().out)["systems"]
    assert np.mean([each["score"] for each in systems]) == pytest.approx(1000)
    assert [each["score"] for each in systems] == sorted(
        (each["score"] for each in systems), reverse=True
    )
    assert main(["arena", str(file)]) == 0
    assert "clustered by 150 judges" in capsys.readouterr().out

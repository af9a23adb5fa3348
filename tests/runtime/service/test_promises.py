"""What a service for many processes and people was seen to lack, and the tests that hold each
since: whoever takes one of them away, or renames it, is told what it was for."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
SERVICE = "runtime/service/test_"
PROMISES: Mapping[str, Sequence[str]] = {
    "one lock: a process that stands still holds up no other": (
        f"{SERVICE}frozen_workers.py::test_a_frozen_worker_delays_nobody_else",
        f"{SERVICE}frozen_workers.py::test_what_is_due_of_a_locked_execution_holds_up_nobody_else",
    ),
    "pooler: it works behind PgBouncer in transaction mode": (
        f"{SERVICE}workers.py::test_a_worker_and_a_service_behind_a_pool",
        "runtime/db/postgres/test_pooler.py"
        "::test_a_run_pauses_and_ends_behind_a_pool_which_keeps_its_settings",
    ),
    "queue: the urgent first, teams in turn, long backlogs cost nothing": (
        "runtime/service/queues/test_ranks.py"
        "::test_a_priority_and_a_completed_step_reach_the_queue",
        "runtime/service/queues/test_queue.py"
        "::test_what_goes_on_comes_before_any_number_that_begin",
        "runtime/service/queues/test_queue.py"
        "::test_a_job_is_fetched_at_once_from_thousands_that_nobody_has_counted",
        "runtime/service/queues/test_sharing.py"
        "::test_one_of_a_team_comes_before_the_many_of_another",
        "runtime/service/queues/test_sharing.py"
        "::test_whose_turn_it_is_is_known_at_once_with_many_that_wait",
    ),
    "status: each step is in one list, and times and scores are whole": (
        f"{SERVICE}status_by_events.py::test_status_is_what_the_events_say",
        f"{SERVICE}status_by_events.py::test_a_chain_of_models_is_told_step_by_step",
        f"{SERVICE}status_by_events.py::test_status_is_right_while_workers_are_killed",
    ),
    "timeout: it comes while a person's step waits, and is told": (
        f"{SERVICE}time_and_people.py"
        "::test_it_comes_while_a_person_has_the_step_and_nobody_does_anything",
        f"{SERVICE}time_and_people.py::test_it_comes_once_after_a_restart",
        f"{SERVICE}time_and_people.py::test_a_completion_after_it_is_refused_and_changes_nothing",
    ),
    "token: one that was lost is replaced": (
        f"{SERVICE}time_and_people.py"
        "::test_a_lost_resume_token_is_reissued_by_an_admin_and_audited",
    ),
    "people: nobody completes the step of another, and notified means it": (
        f"{SERVICE}time_and_people.py::test_a_token_completes_no_step_of_somebody_else",
        f"{SERVICE}time_and_people.py::test_a_deputy_and_an_admin_may",
        f"{SERVICE}time_and_people.py::test_agent_notified_says_whether_the_agent_hears_of_it",
        f"{SERVICE}webhooks.py::test_an_assignment_says_whether_somebody_hears_of_it",
    ),
    "missing: cancel": (f"{SERVICE}time_and_people.py::test_an_execution_is_cancelled_for_good",),
    "missing: one workflow, one team": (
        f"{SERVICE}time_and_people.py::test_a_workflow_and_a_team_are_read_and_deleted",
    ),
    "missing: lists by status and more": (
        f"{SERVICE}time_and_people.py::test_executions_are_listed_by_status_workflow_and_team",
        f"{SERVICE}search.py::test_each_filter_alone_and_all_together",
        "runtime/service/records/test_states.py::test_a_rare_status_is_found_by_an_index",
    ),
    "missing: an inbox": (f"{SERVICE}inbox.py::test_it_is_what_each_execution_says_of_itself",),
    "missing: webhooks": (
        f"{SERVICE}webhooks.py::test_a_whole_execution_is_told_once_of_each",
        f"{SERVICE}webhook_starts.py::test_a_signed_request_begins_an_execution_once",
    ),
    "missing: metrics": (f"{SERVICE}figures.py::test_what_waits_and_what_was_answered_is_counted",),
    "missing: readiness": (
        f"{SERVICE}time_and_people.py::test_health_says_nothing_of_the_store_and_ready_does",
    ),
    "missing: worker health": (
        f"{SERVICE}worker_health.py::test_a_worker_is_listed_with_what_it_does",
    ),
    "missing: traces": (f"{SERVICE}observed.py::test_requests_and_runs_are_spans",),
    "missing: container files": (
        "house/test_operations.py"
        "::test_compose_starts_a_store_a_service_and_two_workers_without_a_secret",
    ),
    "missing: an upgrade beside the version before": (
        f"{SERVICE}backup.py::test_a_store_of_an_older_flowc_gets_what_is_new",
    ),
    "missing: runs of the command line on the page": (
        f"{SERVICE}runs_beside.py"
        "::test_its_page_has_graph_log_timeline_and_the_command_that_answers",
        f"{SERVICE}runs_beside.py::test_runs_stand_among_the_executions_by_their_begin",
    ),
}


def named() -> Iterator[tuple[str, str]]:
    """Each promise with one of its tests."""
    return ((promise, test) for promise, tests in PROMISES.items() for test in tests)


@pytest.mark.parametrize(("promise", "test"), list(named()), ids=lambda value: value)
def test_each_promise_has_its_tests(promise: str, test: str) -> None:
    file, _, name = test.partition("::")
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, kinds)}, promise

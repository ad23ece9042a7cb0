// The steps of the status machine as a person meets them.
import type { CaseDetail, Status } from '../../ipc/bindings';

/** The step offered by name: the next in a case's life that this person may take. Withdrawing is never offered so. */
export function firstStep(detail: CaseDetail): Status | undefined {
  const allowed = detail.next_statuses.filter((step) => step.allowed).map((step) => step.to);
  return allowed.find((status) => status !== 'withdrawn');
}

/** Why no step can be taken; undefined if one can. */
export function whyNoStep(detail: CaseDetail): string | undefined {
  if (detail.next_statuses.length === 0) return 'This status has no further step.';
  if (detail.next_statuses.every((step) => !step.allowed)) return 'The next step needs a supervisor.';
  return undefined;
}

// The field's lists, in the order people meet them. Slug lists are suggestions: other values are kept as they are.
import type { CaseField, Priority, Role, Status } from '../ipc/bindings';

export const STATUS_ORDER: readonly Status[] = [
  'draft',
  'open',
  'under_review',
  'pending_info',
  'resolved',
  'closed',
  'reopened',
  'withdrawn',
];

export const PRIORITIES: readonly Priority[] = ['urgent', 'high', 'normal', 'low'];

export const KINDS: readonly string[] = ['complaint', 'inspection', 'permit', 'enforcement', 'other'];

export const EDITABLE: readonly CaseField[] = [
  'title',
  'kind',
  'priority',
  'due_on',
  'district',
  'address',
  'latitude',
  'longitude',
  'description',
];

/** Reason codes offered for a status change; any slug may be typed. */
export const REASON_CODES: Record<Status, readonly string[]> = {
  draft: ['other'],
  open: ['ready', 'complaint_confirmed', 'other'],
  under_review: ['evidence_complete', 'info_received', 'new_complaint', 'other'],
  pending_info: ['waiting_on_owner', 'waiting_on_tenant', 'waiting_on_agency', 'other'],
  resolved: ['violation_corrected', 'no_violation', 'other'],
  closed: ['all_done', 'duplicate', 'other'],
  reopened: ['violation_returned', 'closed_in_error', 'other'],
  withdrawn: ['complaint_withdrawn', 'duplicate', 'entered_in_error', 'other'],
};

const ROLES: readonly Role[] = ['viewer', 'officer', 'supervisor', 'admin'];

export function includesRole(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

export function isSlug(text: string): boolean {
  return /^[a-z0-9_]{1,40}$/.test(text);
}

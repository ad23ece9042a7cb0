// Doing what a change's buttons say. Every effect is seen through the next read, not through the answer.
import { commands, type Pending } from '../../ipc/bindings';
import { copyText } from '../dom';
import { Drafts } from '../drafts';
import { uuidV7 } from '../intent';
import type { Action } from '../words/action';
import type { NameOf } from '../words/case';
import { changeText, payloadParts } from '../words/change';

/** Puts a refused note's text back into the composer of its case, under a new intent. */
export function draftAgain(account: string, change: Pending): void {
  const { text } = payloadParts(change.payload);
  if (change.operation === 'note.add' && text) {
    new Drafts<string>(account, change.case_id, 'note').keep({ intent: uuidV7(), content: text });
  }
}

/** Runs an action that needs nothing but the change. Returns what to say, if anything. */
export async function act(
  action: Action,
  change: Pending,
  account: string,
  nameOf: NameOf,
  now: number,
): Promise<string | null> {
  const { command_id, case_id } = change;
  switch (action) {
    case 'try_now':
    case 'put_back':
    case 'send_again':
      await commands.outboxRetry({ command_id });
      return null;
    case 'confirm':
      await commands.outboxConfirm({ command_id });
      return null;
    case 'resume':
      await commands.setPaused({ paused: false });
      return null;
    case 'copy_text':
      return (await copyText(changeText(change, nameOf, now))) ? 'Copied' : 'The clipboard did not take the text';
    case 'open_case':
      await commands.openCaseWindow({ id: case_id });
      return null;
    case 'edit_again':
      draftAgain(account, change);
      await commands.openCaseWindow({ id: case_id });
      return null;
    case 'resolve':
      await commands.openConflictWindow({ command_id });
      return null;
    default:
      return null;
  }
}

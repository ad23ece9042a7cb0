-- What a change is about within its target, where others may be about the same: a tag, a note, a task. Such changes
-- leave in the order they were made, whatever else commutes (engine::lane says the same).
alter table outbox add column thing text generated always as (
    case when json_valid(payload) then
        case when operation in ('tag.add', 'tag.remove') then payload ->> 'tag'
             when operation in ('note.add', 'note.redact') then payload ->> 'note_id'
             when operation in ('task.add', 'task.set_done') then payload ->> 'task_id'
        end
    end
) virtual;

// Triggers that keep a row of `content_text` for each content item, empty since its texts changed.

export const CONTENT_TEXT_TRIGGERS: readonly string[] = [
  `create function content_text_added() returns trigger language plpgsql as $$ begin
    insert into content_text (content_guid) values (new.guid); return null;
  end $$`,
  `create function content_text_changed() returns trigger language plpgsql as $$ begin
    update content_text set lowercase = null where content_guid = new.guid; return null;
  end $$`,
  `create trigger content_text_added after insert on content for each row execute function content_text_added()`,
  `create trigger content_text_changed after update of name, title, description on content for each row
    when ((old.name, old.title, old.description) is distinct from (new.name, new.title, new.description))
    execute function content_text_changed()`,
];

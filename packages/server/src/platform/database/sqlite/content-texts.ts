// Triggers that keep a row of `content_text` for each content item, empty since its texts changed.

export const CONTENT_TEXT_TRIGGERS: readonly string[] = [
  `create trigger content_text_added after insert on content begin
    insert into content_text (content_guid) values (new.guid);
  end`,
  `create trigger content_text_changed after update of name, title, description on content
    when old.name is not new.name or old.title is not new.title or old.description is not new.description begin
    update content_text set lowercase = null where content_guid = new.guid;
  end`,
];

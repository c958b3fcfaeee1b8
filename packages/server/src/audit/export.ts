// The audit log as text, page by page: JSON lines, or CSV for spreadsheets.
import type { Executor } from '../platform/database/storage.ts';
import { sentEntry, type SentEntry } from './entry.ts';
import { entriesAfter, type AuditSelection } from './store.ts';

export const EXPORT_FORMATS = {
  jsonl: {
    type: 'application/x-ndjson; charset=utf-8',
    line: (entry: SentEntry) => `${JSON.stringify(entry)}\n`,
  },
  csv: { type: 'text/csv; charset=utf-8', line: csvLine },
} as const;
export type ExportFormat = keyof typeof EXPORT_FORMATS;

const PAGE = 500;
const COLUMNS = [
  ...(['id', 'time', 'user_id', 'user_description', 'action', 'event_description'] as const),
  ...(['content_guid', 'bundle_id', 'task_id', 'slack_user', 'seq', 'mac'] as const),
];

/** All entries of a selection, oldest first, a few hundred at a time. */
export async function* exportAudit(
  db: Executor,
  format: ExportFormat,
  selection: AuditSelection,
): AsyncGenerator<string> {
  const { line } = EXPORT_FORMATS[format];
  if (format === 'csv') yield `${COLUMNS.join(',')}\r\n`;
  for (let at = 0; ;) {
    const rows = await entriesAfter(db, at, PAGE, selection);
    if (rows.length > 0) yield rows.map((row) => line(sentEntry(row))).join('');
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    at = last.id;
  }
}

/** Where a cell begins: spreadsheets set to other languages separate at semicolons, and take quotes within a line as text. */
const BEFORE_FORMULA = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?=[=+\-@＝＋－＠])/g;

/** RFC 4180. Text that a spreadsheet would read as a formula is prefixed with an apostrophe. */
function csvLine(entry: SentEntry): string {
  const cells = COLUMNS.map((name) => {
    const safe = String(entry[name] ?? '').replace(BEFORE_FORMULA, "'");
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${cells.join(',')}\r\n`;
}

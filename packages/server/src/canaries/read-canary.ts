// The figures of a canary and of the live bundle, of all servers together.
import type { Executor } from '../platform/database/storage.ts';
import { addFigures, storedFigures, type Figures } from './figures.ts';
import { listFigures, type CanarySide } from './store.ts';

export async function figuresOf(db: Executor, canaryId: number): Promise<Record<CanarySide, Figures>> {
  const rows = await listFigures(db, canaryId);
  const of = (wanted: CanarySide) =>
    addFigures(rows.filter(({ side }) => side === wanted).map(({ figures }) => storedFigures(figures)));
  return { live: of('live'), canary: of('canary') };
}

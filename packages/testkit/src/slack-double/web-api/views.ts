// Methods about modals and home tabs.
import type { Loose, Workspace } from '../workspace.ts';
import { type Checks, type Methods, Refusal } from './checks.ts';

export function viewsMethods(space: Workspace, { blocksOf, trigger }: Checks): Methods {
  return {
    'views.open': (args) => {
      const user = trigger(args);
      const view = args['view'] as Loose;
      blocksOf(view, 'modal');
      const id = space.nextId('V');
      space.modals.push({ id, user, view });
      return { view: { ...view, id } };
    },
    'views.update': (args) => {
      const modal = space.modals.find(({ id }) => id === args['view_id']);
      if (!modal) throw new Refusal('not_found');
      modal.view = args['view'] as Loose;
      blocksOf(modal.view, 'modal');
      return { view: { ...modal.view, id: modal.id } };
    },
    'views.publish': (args) => {
      const view = args['view'] as Loose;
      blocksOf(view, 'home');
      space.homes.set(String(args['user_id']), view);
      return { view: { ...view, id: space.nextId('V') } };
    },
  };
}

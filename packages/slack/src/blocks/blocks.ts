// Blocks of messages; fit() cuts them to Slack's limits.
import type {
  ActionsBlock,
  Button,
  HomeView,
  KnownBlock,
  ModalView,
  StaticSelect,
  TableBlock,
} from '@slack/types';
import type { Texts } from '../texts/en.ts';
import { millisecondsOf, plainMoment } from './text.ts';

/** Missing in Slack's types; some workspaces refuse it. */
export interface ChartBlock {
  readonly type: 'data_visualization';
  readonly title: string;
  readonly chart: {
    readonly type: 'bar' | 'line';
    readonly series: readonly {
      readonly name: string;
      readonly data: readonly { readonly label: string; readonly value: number }[];
    }[];
    readonly axis_config: {
      readonly categories: readonly string[];
      readonly x_label?: string;
      readonly y_label?: string;
    };
  };
}

/** Steps with their states; some workspaces refuse it. */
export interface PlanBlock {
  readonly type: 'plan';
  readonly title: string;
  readonly tasks: readonly {
    readonly task_id: string;
    readonly title: string;
    readonly status: 'pending' | 'in_progress' | 'complete' | 'error';
  }[];
}

export type AnyBlock = KnownBlock | ChartBlock | PlanBlock;

export interface Message {
  /** For notifications, and clients without blocks. */
  readonly text: string;
  readonly blocks: readonly AnyBlock[];
}

export type Modal = Omit<ModalView, 'blocks'> & { readonly blocks: readonly AnyBlock[] };
export type Home = Omit<HomeView, 'blocks'> & { readonly blocks: readonly AnyBlock[] };

export function section(mrkdwn: string, accessory?: Button | StaticSelect): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: mrkdwn }, ...(accessory && { accessory }) };
}

/** Two columns of `*Label*` and value. */
export function fields(pairs: readonly (readonly [string, string])[]): KnownBlock {
  return {
    type: 'section',
    fields: pairs.map(([label, value]) => ({ type: 'mrkdwn' as const, text: `*${label}*\n${value}` })),
  };
}

export function header(text: string): KnownBlock {
  return { type: 'header', text: { type: 'plain_text', text, emoji: true } };
}

export function context(...mrkdwn: readonly string[]): KnownBlock {
  return { type: 'context', elements: mrkdwn.map((text) => ({ type: 'mrkdwn' as const, text })) };
}

export function actions(...elements: ActionsBlock['elements']): KnownBlock {
  return { type: 'actions', elements };
}

export interface ButtonOptions {
  readonly style?: 'primary' | 'danger';
  readonly url?: string;
  /** Asks for confirmation; its text is mrkdwn. */
  readonly confirm?: {
    readonly title: string;
    readonly text: string;
    readonly yes: string;
    readonly no: string;
  };
}

/** @param action name of its listener. @param value subject of the click */
export function button(action: string, text: string, value: string, options: ButtonOptions = {}): Button {
  const { style, url, confirm } = options;
  return {
    type: 'button',
    action_id: action,
    text: { type: 'plain_text', text, emoji: true },
    ...(value !== '' && { value }),
    ...(style && { style }),
    ...(url !== undefined && { url }),
    ...(confirm && {
      confirm: {
        title: { type: 'plain_text', text: confirm.title },
        text: { type: 'mrkdwn', text: confirm.text },
        confirm: { type: 'plain_text', text: confirm.yes },
        deny: { type: 'plain_text', text: confirm.no },
      },
    }),
  };
}

export function select(
  action: string,
  placeholder: string,
  options: readonly { text: string; value: string }[],
): StaticSelect {
  return {
    type: 'static_select',
    action_id: action,
    placeholder: { type: 'plain_text', text: placeholder },
    options: options.map(({ text, value }) => ({ text: { type: 'plain_text' as const, text }, value })),
  };
}

/** A time in a table, shown in each reader's time zone. */
export interface TimeCell {
  readonly time: string | number | null;
}

export function table(rows: readonly (readonly (string | TimeCell)[])[]): KnownBlock {
  return { type: 'table', rows: rows.map((row) => row.map(cell)) };
}

function cell(content: string | TimeCell): TableBlock['rows'][number][number] {
  if (typeof content === 'string') return { type: 'raw_text', text: content };
  const milliseconds = millisecondsOf(content.time);
  const fallback = plainMoment(content.time);
  if (!Number.isFinite(milliseconds)) return { type: 'raw_text', text: fallback };
  const timestamp = Math.floor(milliseconds / 1000);
  const date = { type: 'date' as const, timestamp, format: '{date_short_pretty} {time}', fallback };
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [date] }] };
}

/** Runs the command again for the whole channel. */
export function shareButton(line: string, { buttons }: Texts): Button {
  return button('share', buttons.share, line);
}

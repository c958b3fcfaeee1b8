// Methods about tokens, people and workflow steps.
import type { Workspace } from '../workspace.ts';
import { type Methods, Refusal } from './checks.ts';

export function accountMethods(space: Workspace, bot: { readonly token: string }): Methods {
  return {
    'auth.test': () => ({
      url: 'https://double.slack.com/',
      team: 'Double',
      user: 'pressroom',
      team_id: space.team,
      user_id: space.bot,
      bot_id: 'B0BOT',
    }),
    'oauth.v2.access': (args) => {
      if (args['code'] !== 'good-code') throw new Refusal('invalid_code');
      return {
        app_id: 'A0DOUBLE',
        access_token: bot.token,
        token_type: 'bot',
        scope: 'chat:write,commands',
        bot_user_id: space.bot,
        team: { id: space.team, name: 'Double' },
        enterprise: null,
        is_enterprise_install: false,
        authed_user: { id: 'U0INSTALLER' },
      };
    },
    'users.info': (args) => {
      const user = space.users.get(String(args['user']));
      if (!user) throw new Refusal('user_not_found');
      const { id, name, email } = user;
      return {
        user: {
          id,
          name,
          tz: user.tz,
          ...(args['include_locale'] !== undefined && { locale: user.locale ?? 'en-US' }),
          real_name: name,
          profile: { display_name: name, real_name: name, email },
        },
      };
    },
    'functions.completeSuccess': (args) => {
      space.steps.push(args);
      return {};
    },
    'functions.completeError': (args) => {
      space.steps.push(args);
      return {};
    },
    'users.lookupByEmail': (args) => {
      const user = [...space.users.values()].find(({ email }) => email === args['email']);
      if (!user) throw new Refusal('users_not_found');
      return { user: { id: user.id, name: user.name } };
    },
  };
}

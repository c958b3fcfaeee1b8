// The page after a form was sent without a session: it keeps what was typed, while its person signs in in another tab.
import { html } from './html.ts';
import { isSecret } from './parts.ts';

/** In forms with something to type. */
export const TYPED = 'typed';

/**
 * @param action where the form goes. Its token is that of the ended session: with the new session it changes nothing,
 *   and is shown again.
 * @param signIn the address of the sign-in
 */
export function keptForm(action: string, signIn: string, form: URLSearchParams): string {
  const inputs = [...form].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${isSecret(name) ? '' : value}" />`,
  );
  const lost =
    [...form.keys()].some(isSecret) &&
    html`<p>A password or another secret value is not kept: type it again there.</p>`;
  return html`<h1>You are signed out</h1>
    <p>Your session had ended before the form was sent. Nothing was changed.</p>
    <p>
      What you typed is kept on this page. <a href="${signIn}" target="_blank">Sign in in another tab</a>,
      then come back here:
    </p>
    <form method="post" action="${action}">${inputs}<button>Back to the form</button></form>
    ${lost}`.toString();
}

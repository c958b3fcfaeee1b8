export { BrowserSignInError } from './browser-sign-in-error.ts';
export { signInWithBrowser, type BrowserCode } from './sign-in-with-browser.ts';

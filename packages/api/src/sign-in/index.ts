export { BrowserSignInError } from './browser-sign-in-error.ts';
export { signInWithBrowser, waitForApproval, type BrowserCode } from './sign-in-with-browser.ts';

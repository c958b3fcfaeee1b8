/** What `call` returns when the server refuses, for `toMatchObject`. @param code of the contract's error table */
export const refused = (status: number, code: number) => ({ status, body: { code, payload: null } });

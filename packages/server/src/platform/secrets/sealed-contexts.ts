// Contexts of encrypted values: a value moved elsewhere does not decrypt.

export function variableContext(contentGuid: string, name: string): string {
  return `${contentGuid}/${name}`;
}

export function totpContext(userGuid: string): string {
  return `totp ${userGuid}`;
}

export function packageSourceContext(contentGuid: string, language: string, address: string): string {
  return `packages ${language} ${contentGuid} ${address}`;
}

export function repositoryContext(contentGuid: string, what: 'token' | 'secret' | 'ssh_key'): string {
  return `repository ${what} ${contentGuid}`;
}

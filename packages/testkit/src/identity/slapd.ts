// A real slapd with the known people, groups and a crowd, in its own directory and on its own ports.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { testCertificate } from './certificate.ts';
import { startDaemon, type Daemon } from './daemon.ts';
import { KNOWN_PEOPLE } from './people.ts';

export interface TestLdap extends Daemon {
  readonly plainUrl: string;
  readonly tlsUrl: string;
  /** PEM file of its certificate. */
  readonly authority: string;
  /** Settings of a server that uses it, over TLS. */
  readonly settings: Readonly<Record<`LDAP.${string}`, string | number | boolean>>;
  /** Changes entries, as LDIF for ldapmodify. */
  modify(ldif: string): void;
}

const BASE = 'dc=corp,dc=example';
const PEOPLE = `ou=people,${BASE}`;
const GROUPS = `ou=groups,${BASE}`;
const MANAGER = `cn=manager,${BASE}`;
const SECRET = 'manager secret';
/** More than a page, and than the size limit of an ordinary search. */
export const CROWD = 1200;

export const LDAP_GROUPS = { Analysts: ['alice', 'bob'], Editors: ['bob'] } as const;

/** @param extra additional LDIF entries; `{people}` is their base. */
export async function startSlapd(extra = ''): Promise<TestLdap> {
  const [plain, tls] = [await freePort(), await freePort()];
  const { key, certificate } = testCertificate('127.0.0.1');
  const urls = { plainUrl: `ldap://127.0.0.1:${plain}`, tlsUrl: `ldaps://127.0.0.1:${tls}` };
  const daemon = await startDaemon('slapd', tls, (directory) => {
    mkdirSync(join(directory, 'data'), { mode: 0o700 });
    writeFileSync(join(directory, 'key.pem'), key, { mode: 0o600 });
    writeFileSync(join(directory, 'cert.pem'), certificate);
    writeFileSync(join(directory, 'slapd.conf'), configuration(directory), { mode: 0o600 });
    const ldif = [...entries(), extra.replaceAll('{people}', PEOPLE)].join('\n\n');
    writeFileSync(join(directory, 'content.ldif'), ldif);
    const conf = ['-f', join(directory, 'slapd.conf')];
    execFileSync('/usr/sbin/slapadd', ['-q', ...conf, '-l', join(directory, 'content.ldif')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return ['/usr/sbin/slapd', '-d', '0', ...conf, '-h', `${urls.plainUrl}/ ${urls.tlsUrl}/`];
  });
  const authority = join(daemon.directory, 'cert.pem');
  return {
    ...daemon,
    ...urls,
    authority,
    settings: {
      'LDAP.URL': urls.tlsUrl,
      'LDAP.CertificateAuthority': authority,
      'LDAP.BindDN': MANAGER,
      'LDAP.BindPassword': SECRET,
      'LDAP.UserBase': PEOPLE,
      'LDAP.GroupBase': GROUPS,
    },
    modify(ldif) {
      const bind = ['-x', '-D', MANAGER, '-w', SECRET, '-H', urls.plainUrl];
      execFileSync('ldapmodify', bind, {
        input: ldif.replaceAll('{people}', PEOPLE).replaceAll('{groups}', GROUPS),
        stdio: ['pipe', 'ignore', 'pipe'],
      });
    },
  };
}

function configuration(directory: string): string {
  return `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${directory}/pid
TLSCertificateFile ${directory}/cert.pem
TLSCertificateKeyFile ${directory}/key.pem
sizelimit size.soft=500 size.hard=500 size.prtotal=unlimited
disallow bind_anon
database mdb
suffix "${BASE}"
rootdn "cn=root,${BASE}"
directory ${directory}/data
maxsize 67108864
access to attrs=userPassword by anonymous auth by dn.exact="${MANAGER}" write by * none
access to * by dn.exact="${MANAGER}" write by * none
`;
}

function entries(): string[] {
  const { people, groups } = {
    people: Object.values(KNOWN_PEOPLE).map(({ username, password, email, first_name, last_name }) =>
      personEntry(username, { givenName: first_name, sn: last_name, mail: email, userPassword: password }),
    ),
    groups: Object.entries(LDAP_GROUPS).map(
      ([name, members]) =>
        `dn: cn=${name},${GROUPS}\nobjectClass: groupOfNames\ncn: ${name}\n${members
          .map((member) => `member: uid=${member},${PEOPLE}`)
          .join('\n')}`,
    ),
  };
  const crowd = Array.from({ length: CROWD }, (_, i) =>
    personEntry(`crowd${String(i).padStart(5, '0')}`, { givenName: 'Some', sn: 'Body' }),
  );
  return [
    `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\no: Corp\ndc: corp`,
    `dn: ${MANAGER}\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: manager\nuserPassword: ${SECRET}`,
    ...[PEOPLE, GROUPS].map((dn) => `dn: ${dn}\nobjectClass: organizationalUnit\nou: ${dn.slice(3, 9)}`),
    ...people,
    ...groups,
    ...crowd,
  ];
}

function personEntry(uid: string, attributes: Record<string, string>): string {
  const lines = Object.entries({ uid, cn: uid, ...attributes }).map(
    // Two colons: the value in base64, for any characters.
    ([name, value]) => `${name}:: ${Buffer.from(value).toString('base64')}`,
  );
  return `dn: uid=${uid},${PEOPLE}\nobjectClass: inetOrgPerson\n${lines.join('\n')}`;
}

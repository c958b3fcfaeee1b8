// Every setting of the server: its section and key in the settings file, type, range, default and meaning.
import { LDAP_SETTINGS } from '../../sign-in/providers/ldap/settings.ts';
import { OAUTH2_SETTINGS } from '../../sign-in/providers/oauth2/settings.ts';
import { PAM_SETTINGS } from '../../sign-in/providers/pam/settings.ts';
import { PROXIED_SETTINGS } from '../../sign-in/providers/proxied/settings.ts';
import { SAML_SETTINGS } from '../../sign-in/providers/saml/settings.ts';
import {
  ADDRESSES,
  CONTENT_LISTEN_ADDRESS,
  DATABASE_ADDRESS,
  LISTEN_ADDRESS,
  MAIL_ADDRESS,
  someOf,
  STRONG_KEY,
  SYSLOG_ADDRESS,
  WEB_ADDRESS,
} from './setting-forms.ts';
import {
  choice,
  flag,
  formed,
  formedSecret,
  seconds,
  secret,
  text,
  whole,
  type Setting,
} from './setting-kinds.ts';

const ROLES = ['viewer', 'publisher', 'administrator'] as const;

export const SETTINGS = {
  'Server.DataDir': text('.pressroom-data', 'Directory of the database, bundles and deployed content'),
  'Server.Address': formed(
    '',
    WEB_ADDRESS,
    'Address people use, with its sub-path; empty: taken from the request',
  ),
  'Server.ContentAddress': formed(
    '',
    WEB_ADDRESS,
    'Where browsers find content: https://*.content.example.com gives each item an origin of its own, an address without * one for all content; requires Server.Address; empty: {label}.localhost on this machine, else HTTP.ContentListen',
  ),
  'Server.ContentOrigin': choice(
    'own',
    ['own', 'shared'],
    'Content has an origin apart from the dashboard, or shares it: then pages of content read other content as their visitor',
  ),
  'Server.HideEmailAddresses': flag(false, 'Show e-mail addresses to administrators only'),
  'HTTP.Listen': formed('127.0.0.1:3939', LISTEN_ADDRESS, 'Address and port to listen on'),
  'HTTP.ContentListen': formed(
    'auto',
    CONTENT_LISTEN_ADDRESS,
    'Address and port, off, or auto. A second port keeps content apart where names cannot be had. auto: the next port, if HTTP.Listen is not the loopback and neither Server.Address nor HTTP.TrustProxy is set',
  ),
  'HTTP.HeaderTimeout': whole(20, 1, 3600, 'Seconds that a client gets to send the headers of a request'),
  'HTTP.BodyTimeout': whole(
    60,
    0,
    86_400,
    'Seconds without a byte after which a request whose body has not arrived is ended; 0: never',
  ),
  'HTTP.MaxConnections': whole(10_000, 1, 1_000_000, 'Connections in all'),
  'HTTP.MaxConnectionsPerAddress': whole(
    1000,
    1,
    1_000_000,
    'Connections from one address that is not a trusted proxy (IPv6: from one /64)',
  ),
  'HTTP.TrustProxy': formed(
    '',
    ADDRESSES,
    'Addresses of proxies whose X-Forwarded headers count, comma-separated',
  ),
  'HTTP.ShutdownTimeout': seconds(30, 'that running requests and tasks get at shutdown'),
  'Database.URL': formed(
    '',
    DATABASE_ADDRESS,
    'postgres://…; empty: the embedded SQLite file in the data directory',
  ),
  'Authentication.Provider': choice(
    'password',
    ['password', 'pam', 'ldap', 'oauth2', 'saml', 'proxied'],
    'Who signs people in',
  ),
  'Authentication.SessionLifetime': seconds(86_400, 'a browser session lasts'),
  'Authentication.SessionIdleTimeout': seconds(28_800, 'without a request before a session ends; 0: never'),
  'Authentication.RegisterOnFirstLogin': flag(
    true,
    'Whoever the provider vouches for gets an account; the first one always does',
  ),
  'Authentication.PasswordMinLength': whole(8, 8, 64, 'Characters of a password that its owner chooses'),
  'Authentication.PasswordPolicy': choice(
    'contract',
    ['contract', 'strict'],
    'Passwords that administrators give (createPushUser): six characters, or the same rules as for those that people choose',
  ),
  'Authentication.SecondFactor': choice(
    'optional',
    ['optional', 'administrators', 'everybody'],
    'Who must have a second factor to sign in on our page; API keys need none',
  ),
  'Setup.KeylessFrom': choice(
    'anywhere',
    ['anywhere', 'loopback', 'link'],
    'Where a program may make the first administrator from without a key; link: only with the link that the start prints',
  ),
  'Authorization.DefaultUserRole': choice('viewer', ROLES, 'Role of a new user'),
  'Authorization.UsersListingMinRole': choice(
    'viewer',
    ROLES,
    'Roles below see only themselves in user lists',
  ),
  'Authorization.ViewersCanOnlySeeThemselves': flag(false, 'Viewers see only themselves in user lists'),
  'Authorization.UserInfoEditableBy': choice(
    'AdminAndSelf',
    ['Admin', 'AdminAndSelf'],
    'Who changes names and addresses',
  ),
  'Authorization.UserGroups': flag(true, 'Groups are offered'),
  ...PROXIED_SETTINGS,
  ...LDAP_SETTINGS,
  ...OAUTH2_SETTINGS,
  ...SAML_SETTINGS,
  ...PAM_SETTINGS,
  'Licensing.UserLimit': whole(0, 0, 1_000_000_000, 'Most unlocked users; 0 is no limit'),
  'Applications.RunAs': text('', 'Account that runs content; empty: the account of the server'),
  'Applications.RunAsGroup': text('', 'Group an account must belong to before content may run as it'),
  'Applications.ProhibitedRunAs': text('root', 'Accounts that content may never run as, comma-separated'),
  'Applications.AccessTypes': formed(
    'all,logged_in,acl',
    someOf('all', 'logged_in', 'acl'),
    'Access types that publishers may choose',
  ),
  'Applications.BundleRetention': whole(0, 0, 100_000, 'Bundles kept for each content item; 0 keeps all'),
  'Applications.MaxBundleSize': whole(10 * 2 ** 30, 1, 2 ** 50, 'Bytes of an uploaded archive'),
  'Applications.MaxUnpackedSize': whole(20 * 2 ** 30, 1, 2 ** 50, 'Bytes of an archive when unpacked'),
  'Applications.MaxBundleEntries': whole(100_000, 1, 10_000_000, 'Files and directories of an archive'),
  'Applications.DiskReserve': whole(
    2 ** 30,
    0,
    2 ** 60,
    'Bytes of the disk that uploads and unpacking leave free; what would go into them is refused',
  ),
  'Applications.MaxConcurrentDeploys': whole(2, 1, 64, 'Deploys that run at the same time'),
  'Applications.TaskRetention': seconds(2_592_000, 'a finished task and its output are kept'),
  'Applications.EnvironmentRetention': whole(
    2_592_000,
    0,
    315_360_000,
    'Seconds that restored R and Python packages are kept which nothing uses any more; 0: for ever',
  ),
  'Applications.RenderTimeout': seconds(
    3600,
    'a deploy, a render or restoring packages again may take; 0: any time',
  ),
  'Applications.GitEnabled': flag(false, 'Content managed by git may be deployed'),
  'Applications.MemoryLimit': whole(
    4 * 2 ** 30,
    0,
    2 ** 50,
    'Bytes of memory for a process of content; 0: no limit',
  ),
  'Applications.ProcessLimit': whole(
    512,
    0,
    1_000_000,
    'Processes and threads that a process of content may start; 0: no limit',
  ),
  'Applications.DiskLimit': whole(
    20 * 2 ** 30,
    0,
    2 ** 50,
    'Bytes that a process of content may add to its files; 0: no limit',
  ),
  'Applications.NetworkAccess': flag(
    true,
    'Content may use the network, and its packages while they are built',
  ),
  'Server.Account': text(
    'pressroom',
    'Account that the server becomes where root starts it: made if it is missing; a small supervisor keeps root',
  ),
  'Isolation.Mode': choice(
    'auto',
    ['auto', 'required', 'off'],
    'Whether content is kept apart where possible, or the server refuses to start without',
  ),
  'TensorFlow.Server': text(
    '',
    'Path of tensorflow_model_server; empty: TensorFlow models cannot be deployed',
  ),
  'R.Repository': text(
    '',
    'Where R packages come from: an address or directory laid out as CRAN is, or none; empty: where R is set up to look',
  ),
  'R.PackagePolicy': choice(
    'at-least',
    ['at-least', 'exact'],
    'Which version of an R package will do: the one of the manifest or a newer one, or that very one',
  ),
  'Python.Index': text('', 'Index that Python packages come from; empty: the one that pip is set up with'),
  'Python.FindLinks': text(
    '',
    'Directory or page of Python packages; without an index, nothing else is asked',
  ),
  'Scheduler.ConnectionTimeout': seconds(3600, 'without data either way before a connection ends; 0: never'),
  'Scheduler.ReadTimeout': seconds(3600, 'without data from the client before a connection ends; 0: never'),
  'Scheduler.InitTimeout': seconds(60, 'a process gets to start'),
  'Scheduler.IdleTimeout': seconds(5, 'an idle process is kept'),
  'Scheduler.LoadFactor': {
    type: 'number',
    default: 0.5,
    min: 0,
    max: 1,
    about: 'How early processes start',
  },
  'Scheduler.MaxConnsPerProcess': whole(20, 1, 1_000_000, 'Connections of one process'),
  'Scheduler.MaxProcesses': whole(3, 1, 1_000_000, 'Processes of one content item'),
  'Scheduler.MinProcesses': whole(0, 0, 1_000_000, 'Processes kept for one content item'),
  'Scheduler.MinProcessesLimit': whole(5, 0, 1_000_000, 'Highest MinProcesses that content may ask for'),
  'Scheduler.MaxProcessesLimit': whole(20, 1, 1_000_000, 'Highest MaxProcesses that content may ask for'),
  'Client.ReconnectTimeout': seconds(15, 'that a session waits for a visitor who lost the connection'),
  'API.DeprecateExperimental': flag(
    false,
    'Mark the experimental paths deprecated, naming their replacements',
  ),
  'Mail.URL': { ...formed('', MAIL_ADDRESS, 'smtp://…; empty: no mail is sent'), secret: true },
  'Mail.From': text('pressroom@localhost', 'Sender of mail'),
  'Secrets.Key': formedSecret(
    STRONG_KEY,
    'Encrypts environment variables at rest; the same for all servers of one database; empty: a key file in the data directory',
  ),
  'Secrets.PreviousKeys': secret(
    'Keys that were Secrets.Key before, comma-separated: what they sealed is sealed again at the start; then they can go',
  ),
  'Audit.Syslog': formed(
    '',
    SYSLOG_ADDRESS,
    'Where audit entries go as syslog messages: udp://host:514, tcp://host:601 or tls://host:6514; empty: nowhere',
  ),
  'Audit.Webhook': formed('', WEB_ADDRESS, 'Address that audit entries are posted to; empty: none'),
  'Audit.WebhookSecret': secret('Signs what is posted to Audit.Webhook'),
  'Log.Level': choice('info', ['debug', 'info', 'warn', 'error', 'silent'], 'How much is logged'),
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
type ValueOf<S> = S extends { values: readonly (infer V)[] }
  ? V
  : S extends { type: 'text' }
    ? string
    : S extends { type: 'boolean' }
      ? boolean
      : number;
/** The settings in force, by their name in the contract (section 1, convention 5). */
export type Config = { readonly [K in SettingName]: ValueOf<(typeof SETTINGS)[K]> };

// All settings of the server: section and key in the settings file, type, range, default and description.
import { LDAP_SETTINGS } from '../../sign-in/providers/ldap/settings.ts';
import { OAUTH2_SETTINGS } from '../../sign-in/providers/oauth2/settings.ts';
import { PAM_SETTINGS } from '../../sign-in/providers/pam/settings.ts';
import { PROXIED_SETTINGS } from '../../sign-in/providers/proxied/settings.ts';
import { SAML_SETTINGS } from '../../sign-in/providers/saml/settings.ts';
import {
  ADDRESSES,
  API_VERSION,
  BASE_ADDRESS,
  CONTENT_LISTEN_ADDRESS,
  DATABASE_ADDRESS,
  DIRECTORY,
  ENGINE_ADDRESS,
  IMAGES,
  ISSUERS,
  KEY_PREFIX,
  LISTEN_ADDRESS,
  MAIL_ADDRESS,
  NETWORK_NAME,
  ORIGINS,
  PROGRAM,
  PROGRAMS,
  SENDER,
  SERVER_ADDRESS,
  someOf,
  STORE_ADDRESS,
  STRONG_KEY,
  SYSLOG_ADDRESS,
  WEB_ADDRESS,
  WEB_ADDRESSES,
} from './setting-forms.ts';
import {
  choice,
  flag,
  formed,
  formedSecret,
  list,
  seconds,
  secret,
  text,
  whole,
  type Setting,
} from './setting-kinds.ts';

const VERSION_MATCHING = ['nearest', 'major-minor', 'exact'] as const;
const ROLES = ['viewer', 'publisher', 'administrator'] as const;

export const SETTINGS = {
  'Server.DataDir': formed(
    '.pressroom-data',
    DIRECTORY,
    'Directory for the database, bundles and deployed content',
  ),
  'Server.Address': formed(
    '',
    BASE_ADDRESS,
    'Public URL of the server, including its path; empty: derived from each request',
  ),
  'Server.ContentAddress': formed(
    '',
    BASE_ADDRESS,
    'Where browsers find content. https://*.content.example.com gives each content item its own origin; a URL without * is one origin for all content. Requires Server.Address. Empty: {label}.localhost on this machine, otherwise HTTP.ContentListen',
  ),
  'Server.ContentOrigin': choice(
    'own',
    ['own', 'shared'],
    'Whether content has its own origin or shares the origin of the dashboard; if shared, pages of content can read other content as their visitor',
  ),
  'Server.HideEmailAddresses': flag(false, 'Show email addresses to administrators only'),
  'Server.Processes': whole(
    1,
    1,
    64,
    'Processes that serve HTTP.Listen on this machine: one uses one processor. More than one requires Database.URL and Cluster.Listen; each process has ports of its own for Cluster.Listen and Metrics.PrometheusListen, from the configured one on',
  ),
  'HTTP.Listen': formed('127.0.0.1:3939', LISTEN_ADDRESS, 'Address and port to listen on'),
  'HTTP.ContentListen': formed(
    'auto',
    CONTENT_LISTEN_ADDRESS,
    'Second port for content, for servers without wildcard DNS: an address and port, off, or auto. auto: the next port, if HTTP.Listen is not a loopback address and neither Server.Address nor HTTP.TrustProxy is set',
  ),
  'HTTP.HeaderTimeout': whole(20, 1, 3600, 'Timeout for receiving request headers (seconds)'),
  'HTTP.BodyTimeout': whole(60, 0, 86_400, 'Timeout between two parts of a request body (seconds); 0: none'),
  'HTTP.MaxConnections': whole(10_000, 1, 1_000_000, 'Maximum open connections'),
  'HTTP.MaxConnectionsPerAddress': whole(
    1000,
    1,
    1_000_000,
    'Maximum open connections from one address (IPv6: one /64), except trusted proxies',
  ),
  'HTTP.TrustProxy': formed(
    '',
    ADDRESSES,
    'Addresses of proxies whose X-Forwarded headers are trusted, comma-separated',
  ),
  'HTTP.AllowedOrigins': list(
    ORIGINS,
    'Origins whose pages may call the API with a key (CORS), such as editors in a browser, comma-separated: https://editor.example.com, or https://*.example.com for every name below. Never with the session of a visitor. Empty: none',
  ),
  'HTTP.DrainDelay': seconds(
    0,
    'that a stopping server keeps serving while /__health__/ready returns 503, so that proxies send visitors elsewhere',
  ),
  'HTTP.ShutdownTimeout': seconds(30, 'that running requests and tasks get at shutdown'),
  'Database.URL': formed('', DATABASE_ADDRESS, 'postgres://…; empty: an SQLite file in the data directory'),
  'Cluster.Listen': formed(
    '',
    LISTEN_ADDRESS,
    'Address and port where the other servers of the database reach this one, not visitors: encrypted, and only for servers with the same Secrets.Key; empty: nowhere. Requires Database.URL',
  ),
  'Cluster.Address': formed(
    '',
    SERVER_ADDRESS,
    'Host and port under which the other servers reach Cluster.Listen; empty: that address, or the name of this machine if it listens on all addresses',
  ),
  'Storage.Type': choice(
    'directory',
    ['directory', 's3'],
    'Where bundles and rendered documents are kept: directory: the data directory; s3: a bucket of an S3-compatible store, which servers with data directories of their own share. s3 requires Secrets.Key',
  ),
  'Storage.Bucket': text('', 'Bucket of the S3 store; it must exist'),
  'Storage.Prefix': formed('', KEY_PREFIX, 'Prefix of all keys in the bucket, such as pressroom/'),
  'Storage.Region': text('us-east-1', 'Region of the bucket'),
  'Storage.Endpoint': formed('', STORE_ADDRESS, 'URL of the S3 store; empty: Amazon S3'),
  'Storage.PathStyle': flag(false, 'Put the bucket into the path of the URL instead of the host name'),
  'Storage.KeyID': text(
    '',
    'Access key ID for the S3 store; empty: the credentials of the machine, such as an instance role',
  ),
  'Storage.Secret': secret('Secret access key for the S3 store'),
  'Storage.CA': text(
    '',
    'PEM file with certificates to trust for the S3 store, in addition to those of the system',
  ),
  'Storage.Timeout': whole(
    30,
    1,
    3600,
    'Timeout for connecting to the S3 store and for each of its responses (seconds). A request is tried three times',
  ),
  'Storage.CacheSize': whole(
    20 * 2 ** 30,
    0,
    2 ** 60,
    'Disk space for files unpacked from the S3 store (bytes), at most three quarters of what the disk has for them; with Storage.Type directory, for those of earlier bundles that somebody opened, at most a quarter. What is in use stays, even if it is more',
  ),
  'Authentication.Provider': choice(
    'password',
    ['password', 'pam', 'ldap', 'oauth2', 'saml', 'proxied'],
    'Authentication provider',
  ),
  'Authentication.SessionLifetime': seconds(86_400, 'a browser session lasts'),
  'Authentication.SessionIdleTimeout': seconds(28_800, 'without a request before a session ends; 0: never'),
  'Authentication.RegisterOnFirstLogin': flag(
    true,
    'Create an account at the first sign-in; the first user always gets one',
  ),
  'Authentication.PasswordMinLength': whole(8, 8, 64, 'Minimum length of a password that users choose'),
  'Authentication.PasswordPolicy': choice(
    'contract',
    ['contract', 'strict'],
    'Rules for passwords set by administrators (createPushUser): contract: at least six characters; otherwise the same rules as for passwords that users choose',
  ),
  'Authentication.SecondFactor': choice(
    'optional',
    ['optional', 'administrators', 'everybody'],
    'Who must use two-factor authentication to sign in; API keys do not need it',
  ),
  'Setup.KeylessFrom': choice(
    'anywhere',
    ['anywhere', 'loopback', 'link'],
    'From where a program can create the first administrator without a key; link: only with the link printed at startup',
  ),
  'Authorization.DefaultUserRole': choice('viewer', ROLES, 'Role of a new user'),
  'Authorization.UsersListingMinRole': choice(
    'viewer',
    ROLES,
    'Users with a lower role see only themselves in user lists',
  ),
  'Authorization.ViewersCanOnlySeeThemselves': flag(false, 'Viewers see only themselves in user lists'),
  'Authorization.UserInfoEditableBy': choice(
    'AdminAndSelf',
    ['Admin', 'AdminAndSelf'],
    'Who can change names and email addresses',
  ),
  'Authorization.UserGroups': flag(true, 'Enable groups'),
  ...PROXIED_SETTINGS,
  ...LDAP_SETTINGS,
  ...OAUTH2_SETTINGS,
  ...SAML_SETTINGS,
  ...PAM_SETTINGS,
  'Licensing.UserLimit': whole(0, 0, 1_000_000_000, 'Maximum number of unlocked users; 0: no limit'),
  'Applications.Executor': choice(
    'local',
    ['local', 'docker'],
    'Where content runs, documents are rendered and packages are installed: local: processes of this machine; docker: containers of the engine at Docker.Host. docker requires Docker.Images',
  ),
  'Applications.RunAs': text(
    '',
    'Unix account that runs content; empty: if root starts the server, an account of its own for each content item, and nobody where the machine has no such accounts; otherwise the account of the server; *: an account for each content item, or no start',
  ),
  'Applications.RunAsGroup': text('', 'Group an account must belong to before content may run as it'),
  'Applications.ProhibitedRunAs': text('root', 'Accounts that content may never run as, comma-separated'),
  'Applications.AccessTypes': formed(
    'all,logged_in,acl',
    someOf('all', 'logged_in', 'acl'),
    'Access types that publishers may choose',
  ),
  'Applications.BundleRetention': whole(0, 0, 100_000, 'Bundles kept for each content item; 0: all'),
  'Applications.MaxBundleSize': whole(10 * 2 ** 30, 1, 2 ** 50, 'Maximum size of an uploaded bundle (bytes)'),
  'Applications.MaxUnpackedSize': whole(
    20 * 2 ** 30,
    1,
    2 ** 50,
    'Maximum size of an unpacked bundle (bytes)',
  ),
  'Applications.MaxBundleEntries': whole(
    100_000,
    1,
    10_000_000,
    'Maximum number of files and directories in a bundle',
  ),
  'Applications.DiskReserve': whole(
    2 ** 30,
    0,
    2 ** 60,
    'Free disk space (bytes) below which uploads, deploys and downloads of backups are refused',
  ),
  'Applications.MaxConcurrentDeploys': whole(
    2,
    1,
    64,
    'Maximum number of concurrent deploys, on all servers together',
  ),
  'Applications.TaskRetention': seconds(2_592_000, 'a finished task and its output are kept'),
  'Applications.DraftRetention': seconds(1_209_600, 'a draft is kept after it was deployed last'),
  'Applications.OwnRenderings': whole(
    5,
    0,
    1000,
    'How many renderings with own values somebody may keep of a document, the newest; 0: none, whatever its owner allows',
  ),
  'Applications.OwnRenderingRetention': seconds(604_800, 'a rendering with own values is kept'),
  'Applications.EnvironmentRetention': whole(
    2_592_000,
    0,
    315_360_000,
    'How long unused R and Python packages are kept (seconds); 0: forever',
  ),
  'Applications.RenderTimeout': seconds(
    3600,
    'a deploy, a render or restoring packages again may take; 0: any time',
  ),
  'Applications.GitEnabled': flag(false, 'Allow deploys of Git-backed content'),
  'Git.PrivateHosts': text(
    '',
    'Comma-separated hosts of Git servers that may have private addresses; others are reached at public addresses only',
  ),
  'Git.PollInterval': whole(
    300,
    5,
    86_400,
    'Pause between two looks for new commits, where polling is on (seconds)',
  ),
  'Git.Timeout': whole(300, 1, 86_400, 'Time limit of a fetch (seconds)'),
  'Git.MaxRepositorySize': whole(
    2 ** 30,
    2 ** 10,
    2 ** 40,
    'Maximum size of what a fetch of one commit brings (bytes)',
  ),
  'Applications.Pictures': flag(
    true,
    'Whether documents and web pages are photographed after a deploy, for the list of the dashboard; requires Chromium and isolation',
  ),
  'Applications.VisitorKeys': choice(
    'off',
    ['off', 'viewer', 'publisher'],
    'What an application may do at most for its visitors, where an administrator allowed it to get their API keys: read, or as a publisher',
  ),
  'Applications.MemoryLimit': whole(
    4 * 2 ** 30,
    0,
    2 ** 50,
    'Memory limit of a content process (bytes); 0: no limit',
  ),
  'Applications.ProcessLimit': whole(
    512,
    0,
    1_000_000,
    'Maximum number of processes and threads in a content process; 0: no limit',
  ),
  'Applications.PreparedProcesses': whole(
    4,
    0,
    10_000,
    'Maximum number of prepared processes: each has loaded the packages of a content item, and its next process is forked from it; 0: none. Requires bubblewrap and Applications.Executor local',
  ),
  'Applications.PreparedIdleTimeout': whole(
    3600,
    0,
    2_592_000,
    'A prepared process ends after this time without a process of its content (seconds); 0: never',
  ),
  'Applications.DiskLimit': whole(
    20 * 2 ** 30,
    0,
    2 ** 50,
    'Disk space that the processes of a deploy can use for their files, and each for its /tmp (bytes); 0: no limit',
  ),
  'Applications.NetworkAccess': flag(
    true,
    'Allow network access for content, and for packages while they are built',
  ),
  'Server.Account': text(
    'pressroom',
    'Unix account of the server when root starts it; created if missing. Only a small supervisor process stays root',
  ),
  'Docker.Host': formed(
    'unix:///run/docker.sock',
    ENGINE_ADDRESS,
    'Container engine, which must run on this machine: unix:///run/docker.sock or tcp://127.0.0.1:2376. tcp requires Docker.CA, Docker.Certificate and Docker.Key, except on a loopback address',
  ),
  'Docker.CA': text('', 'PEM file with the certificate authority of the container engine'),
  'Docker.Certificate': text(
    '',
    'PEM file with the certificate by which the container engine knows the server',
  ),
  'Docker.Key': text('', 'PEM file with the private key of Docker.Certificate'),
  'Docker.Images': list(
    IMAGES,
    'Images that content runs in, the default one first; each has R, Python or both, and the first one that has a version offers that version. They must be on the machine already',
  ),
  'Docker.Network': formed(
    'bridge',
    NETWORK_NAME,
    'Network of the container engine for content that may use the network; host: the network of the machine',
  ),
  'Docker.CPULimit': {
    type: 'number',
    default: 0,
    min: 0,
    max: 1024,
    about: 'Maximum processors that a content process in a container can use, such as 1.5; 0: no limit',
  },
  'Isolation.Mode': choice(
    'auto',
    ['auto', 'required', 'off'],
    'auto: isolate content as far as the machine allows; required: refuse to start without full isolation; off: no isolation',
  ),
  'CI.Issuers': list(
    ISSUERS,
    'Issuers of the OpenID Connect tokens by which pipelines may deploy without a stored key, or none; empty: GitHub Actions and gitlab.com',
  ),
  'TensorFlow.Server': text(
    '',
    'Path of tensorflow_model_server; empty: TensorFlow models cannot be deployed',
  ),
  'Quarto.Executable': text(
    '',
    'Path of quarto; empty: /usr/local/bin/quarto, /usr/bin/quarto, or the newest of /opt/quarto/*/bin/quarto',
  ),
  'R.Executable': list(
    PROGRAMS,
    'Paths of Rscript of each R installation, the default one first; empty: the one on the PATH and those in /usr/bin, /usr/local/bin and /opt/R/*/bin',
  ),
  'R.VersionMatching': choice(
    'nearest',
    VERSION_MATCHING,
    'R for content whose version is not installed: nearest: the nearest version; major-minor: one with the same major and minor version; exact: none',
  ),
  'R.Repository': list(
    null,
    'R package repositories, in the order in which they are asked: URLs or directories with the layout of CRAN, or none; empty: the repository configured in R',
  ),
  'R.PackagePolicy': choice(
    'at-least',
    ['at-least', 'exact'],
    'R package versions: at-least: the version in the manifest or newer; exact: exactly that version',
  ),
  'Python.Executable': list(
    PROGRAMS,
    'Paths of python3 of each Python installation, the default one first; empty: /usr/bin/python3, /usr/local/bin/python3 and /opt/python/*/bin/python3',
  ),
  'Python.VersionMatching': choice(
    'nearest',
    VERSION_MATCHING,
    'Python for content whose version is not installed: nearest: the nearest version; major-minor: one with the same major and minor version; exact: none',
  ),
  'Python.Uv': formed(
    '',
    PROGRAM,
    'Path of uv, which installs Python packages faster than pip, or none; empty: /usr/local/bin/uv or /usr/bin/uv if it is there, otherwise pip',
  ),
  'Python.Index': list(
    null,
    'Python package indexes: the first one, and others that are asked as well; empty: the index configured for pip',
  ),
  'Python.FindLinks': list(
    null,
    'Directories or pages with Python packages; without Python.Index, the only source',
  ),
  'Packages.Netrc': text(
    '',
    'File with names and passwords for package repositories, in the form of netrc (machine HOST login NAME password SECRET); content never sees it; empty: none',
  ),
  'Packages.ContentSources': flag(
    true,
    'Whether content may have package repositories of its own, beside or in place of those of the server',
  ),
  'Packages.PrivateHosts': text(
    '',
    'Comma-separated hosts of package repositories of content that may have private addresses; others are reached at public addresses only',
  ),
  'Packages.ContentDirectories': list(
    null,
    'Directories of packages that content may name as its repository (file://…), and those below them',
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
  'Scheduler.MaxConnsPerProcess': whole(20, 1, 1_000_000, 'Maximum connections to one process'),
  'Scheduler.MaxProcesses': whole(
    3,
    1,
    1_000_000,
    'Maximum processes of a content item, on all servers that reach each other',
  ),
  'Scheduler.MinProcesses': whole(0, 0, 1_000_000, 'Minimum processes of a content item'),
  'Scheduler.MinProcessesLimit': whole(5, 0, 1_000_000, 'Highest minimum that a content item can set'),
  'Scheduler.MaxProcessesLimit': whole(20, 1, 1_000_000, 'Highest maximum that a content item can set'),
  'Client.ReconnectTimeout': seconds(15, 'that a session waits for a visitor who lost the connection'),
  // The newest by which clients choose a feature that is here: docs/adr/0030-version-of-the-api.md.
  'API.Version': formed(
    '2026.04.0',
    API_VERSION,
    'Version of the API that clients are told, and choose their features by; none: not told',
  ),
  'API.DeprecateExperimental': flag(
    false,
    'Mark experimental endpoints as deprecated and name their replacements',
  ),
  'Mail.URL': { ...formed('', MAIL_ADDRESS, 'smtp://…; empty: email is disabled'), secret: true },
  'Mail.From': formed('pressroom@localhost', SENDER, 'Sender address of email'),
  'Mail.AllowedDomains': text(
    '',
    'Domains that reports may be mailed to beside the addresses of users, comma-separated; *: any; empty: none',
  ),
  'Mail.Attempts': whole(6, 1, 20, 'How often a report is tried to be mailed to an address'),
  'Mail.MaxSize': whole(20 * 2 ** 20, 2 ** 16, 2 ** 30, 'Size limit of a mail with a report (bytes)'),
  'Secrets.Key': formedSecret(
    STRONG_KEY,
    'Encryption key for secrets at rest; the same for all servers of a database; empty: a key file in the data directory',
  ),
  'Secrets.PreviousKeys': secret(
    'Previous values of Secrets.Key, comma-separated. Secrets are encrypted again at startup; after that, remove the previous keys',
  ),
  'Usage.Retention': whole(
    0,
    0,
    315_360_000,
    'How long visits and sessions of applications are kept (seconds); 0: forever',
  ),
  'Usage.UnusedAfter': whole(
    0,
    0,
    315_360_000,
    'How long nobody must have used content until its owner is asked whether to keep it (seconds), at most Usage.Retention; 0: nobody is asked',
  ),
  'Audit.Retention': whole(
    0,
    0,
    315_360_000,
    'How long audit entries are kept (seconds); 0: forever. Entries that Audit.Syslog or Audit.Webhook has not received yet are kept',
  ),
  'Audit.Syslog': formed(
    '',
    SYSLOG_ADDRESS,
    'Syslog server for audit entries: udp://host:514, tcp://host:601 or tls://host:6514; empty: none',
  ),
  'Audit.Webhook': formed('', WEB_ADDRESS, 'URL that receives audit entries by POST; empty: none'),
  'Audit.WebhookSecret': secret('Signing key for Audit.Webhook'),
  'Events.Webhooks': formed(
    '',
    WEB_ADDRESSES,
    'URLs that receive events of deploys and renders by signed POST, separated by spaces; empty: none',
  ),
  'Events.WebhookSecret': secret('Signing key for Events.Webhooks'),
  'Metrics.PrometheusListen': formed(
    '',
    LISTEN_ADDRESS,
    'Address and port for GET /metrics (Prometheus), such as 127.0.0.1:3232; empty: none. Anyone who can reach it can read it',
  ),
  'Log.Level': choice('info', ['debug', 'info', 'warn', 'error', 'silent'], 'Log level'),
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

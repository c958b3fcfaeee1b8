// Python's standard library, and PyPI packages whose name differs from their module.

/** Modules of the standard library of Python 3. */
export const STANDARD_LIBRARY: ReadonlySet<string> = new Set(
  `__future__ __main__ _thread abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb
  binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys
  compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses
  datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp
  fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip
  hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3
  linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing
  netrc nis nntplib ntpath nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools
  pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data
  pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex
  shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat
  statistics string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib
  tempfile termios test textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty
  turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound
  wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo`.split(/\s+/),
);

/** PyPI packages by the name of their module. */
export const PACKAGE_OF: Readonly<Record<string, string>> = {
  attr: 'attrs',
  bs4: 'beautifulsoup4',
  Crypto: 'pycryptodome',
  cv2: 'opencv-python-headless',
  dateutil: 'python-dateutil',
  docx: 'python-docx',
  dotenv: 'python-dotenv',
  fasthtml: 'python-fasthtml',
  fitz: 'PyMuPDF',
  flask_cors: 'Flask-Cors',
  git: 'GitPython',
  github: 'PyGithub',
  IPython: 'ipython',
  jose: 'python-jose',
  jwt: 'PyJWT',
  ldap: 'python-ldap',
  magic: 'python-magic',
  multipart: 'python-multipart',
  MySQLdb: 'mysqlclient',
  OpenSSL: 'pyOpenSSL',
  PIL: 'Pillow',
  pkg_resources: 'setuptools',
  pptx: 'python-pptx',
  psycopg2: 'psycopg2-binary',
  pymysql: 'PyMySQL',
  serial: 'pyserial',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  slugify: 'python-slugify',
  sqlalchemy: 'SQLAlchemy',
  umap: 'umap-learn',
  win32api: 'pywin32',
  yaml: 'PyYAML',
  zmq: 'pyzmq',
};

/** Modules included in other packages: listing one of these is enough. */
export const INCLUDED_IN: Readonly<Record<string, readonly string[]>> = {
  click: ['flask', 'uvicorn', 'dask'],
  IPython: ['jupyter', 'ipykernel', 'notebook'],
  jinja2: ['flask', 'notebook', 'nbconvert'],
  matplotlib: ['seaborn', 'plotnine'],
  numpy: ['pandas', 'scipy', 'scikit-learn', 'matplotlib', 'seaborn', 'statsmodels', 'xarray', 'tensorflow'],
  pandas: ['seaborn', 'statsmodels', 'plotnine', 'geopandas', 'xarray'],
  psycopg2: ['psycopg2'],
  cv2: ['opencv-python', 'opencv-contrib-python'],
  pydantic: ['fastapi'],
  scipy: ['scikit-learn', 'statsmodels', 'seaborn'],
  starlette: ['fastapi', 'python-fasthtml'],
  typing_extensions: ['fastapi', 'pydantic'],
  werkzeug: ['flask'],
};

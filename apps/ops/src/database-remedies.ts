import type { DatabaseRefused } from '@shardwalk/db'

/** What to do about a connection that was refused; empty if nothing is known. */
export function remedyOf(error: DatabaseRefused, url: string): string {
  const code = error.isUntrusted ? codeOf(error.cause) : (error.sqlState ?? '')
  const remedies = error.isUntrusted ? CERTIFICATES : REFUSALS
  return remedies.find(([pattern]) => pattern.test(`${code} ${error.message}`))?.[1](url) ?? ''
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | undefined)?.code)

/** The first whose pattern matches the code and the text. */
type Remedies = readonly (readonly [RegExp, (url: string) => string])[]

const CERTIFICATES: Remedies = [
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)/, () => 'Renew the certificate, or set the clock of this machine.'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID/,
    () =>
      'Use a host name that the certificate has, or uselibpqcompat=true&sslmode=verify-ca with ' +
      'sslrootcert=<file of the authority>, which does not compare names.',
  ],
  [
    /^/,
    () =>
      'Add sslrootcert=<file of the authority> to the URL, or uselibpqcompat=true&sslmode=require to ' +
      'encrypt without verifying.',
  ],
]

const POOLER = 'Connect to PostgreSQL itself: a pooler such as PgBouncer does not keep sessions.'

/** By SQLSTATE and text: everything that pg_hba.conf does not allow has one state. */
const REFUSALS: Remedies = [
  [
    /^28000 .*no encryption$/,
    () =>
      'If the server asks for encryption, add sslmode=verify-full to the URL; otherwise correct the user, ' +
      "or allow it in the server's pg_hba.conf.",
  ],
  [/^28000 .*client certificate/, () => 'Add sslcert=<file> and sslkey=<file> to the URL.'],
  // What a file of the URL is not, of Node and OpenSSL.
  [/\b(ENOENT|EISDIR|EACCES|ENOTDIR)\b/, () => 'Correct sslrootcert, sslcert and sslkey of the URL: files.'],
  [
    /PEM routines|ASN1|DECODER routines/i,
    () => 'Name PEM files in sslcert and sslkey, without a passphrase.',
  ],
  [/key values mismatch/, () => 'Let sslkey be the key of sslcert.'],
  [/alert unknown ca/, () => 'Let the server trust the authority of sslcert (ssl_ca_file), or use another.'],
  [/alert certificate expired/, () => 'Renew the certificate in sslcert.'],
  [/^28000/, () => "Correct the user, or allow it in the server's pg_hba.conf."],
  [/^28P01/, () => 'Correct user and password.'],
  [/^3D000/, (url) => `Create it: createdb ${databaseOf(url)}`],
  [/^(08P01|0A000)/, () => POOLER],
  [/does not support SSL/, () => 'Remove sslmode from the URL, or let the server encrypt (ssl = on).'],
]

/** As with libpq, that of the user's name if the URL has none. */
function databaseOf(url: string): string {
  const { pathname, username } = new URL(url)
  const name = pathname.slice(1) || username
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

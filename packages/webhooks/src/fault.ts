/** By the code of Node; the first that matches. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/^CERT_HAS_EXPIRED/, 'the certificate has expired'],
  [/^CERT_NOT_YET_VALID/, 'the certificate is not valid yet'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID/, 'the certificate has another name'],
  [
    /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/,
    'the certificate is not trusted; NODE_EXTRA_CA_CERTS names a file of authorities to trust',
  ],
  [/^(EPROTO|ERR_SSL_)/, 'no encryption was agreed on'],
  [/^ECONNREFUSED/, 'the connection was refused'],
]

/** Why nothing was answered, for logs and lists: it repeats nothing that the receiver sent. */
export function faultOfConnection(error: unknown): string {
  const code = String((error as NodeJS.ErrnoException | undefined)?.code)
  return FAULTS.find(([pattern]) => pattern.test(code))?.[1] ?? 'the connection failed'
}

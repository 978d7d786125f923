/** Address of a lite server. */
export interface ServerAddress {
  /** `host:port`, used as label in logs and metrics. */
  readonly name: string
  readonly host: string
  readonly port: number
  /** ed25519, 32 bytes. */
  readonly publicKey: Buffer
}

/** `host`: a name, or an IPv4 or IPv6 address without brackets. `publicKey`: ed25519, 32 bytes. */
export const serverAddress = (host: string, port: number, publicKey: Buffer): ServerAddress => ({
  name: `${host.includes(':') ? `[${host}]` : host}:${port}`,
  host,
  port,
  publicKey,
})

/** Address of a lite server. */
export interface ServerAddress {
  /** `host:port`, used as label in logs and metrics. */
  readonly name: string
  readonly host: string
  readonly port: number
  /** ed25519, 32 bytes. */
  readonly publicKey: Buffer
}

export const serverAddress = (host: string, port: number, publicKey: Buffer): ServerAddress => ({
  name: `${host.includes(':') ? `[${host}]` : host}:${port}`,
  host,
  port,
  publicKey,
})

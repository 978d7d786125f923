import type { V2MethodName, V2Results } from '@shardwalk/api-schema'
import { toJsonValue } from './query.ts'
import { type ClientOptions, Transport } from './transport.ts'

/** Every method that sends a message. */
const SENDING: Readonly<Record<Extract<V2MethodName, `send${string}`>, true>> = {
  sendBoc: true,
  sendBocReturnHash: true,
  sendBocReturnHashNoError: true,
}

/** API v2, by JSON-RPC. */
export class V2Client {
  private readonly transport: Transport

  constructor(options: ClientOptions) {
    this.transport = new Transport(options)
  }

  /**
   * The result of a method. Parameters may be bigints, bytes and addresses of `@ton/core`. Sending is not
   * repeated when the connection breaks.
   */
  async call<Method extends V2MethodName>(
    method: Method,
    params: Readonly<Record<string, unknown>> = {},
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<V2Results[Method]> {
    const { body } = await this.transport.send({
      path: '/api/v2/jsonRPC',
      body: { jsonrpc: '2.0', id: '1', method, params: toJsonValue(params) },
      repeatable: !Object.hasOwn(SENDING, method),
      signal,
    })
    return (body as { readonly result: V2Results[Method] }).result
  }
}

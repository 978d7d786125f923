import * as z from 'zod'

const base64 = z.string().meta({ description: 'bag of cells, standard base64 with padding' })

const flag = (description: string) =>
  z
    .boolean()
    .optional()
    .meta({ description: `${description} Default false.` })

const shared = {
  with_actions: flag('Whether to derive actions.'),
  include_code_data: flag('Whether to return code and data of the accounts, before and after.'),
  include_address_book: flag('Whether to return an address book.'),
  include_metadata: flag('Whether to return metadata of tokens.'),
  mc_block_seqno: z
    .int()
    .min(1)
    .max(4_294_967_295)
    .nullish()
    .meta({ description: 'Masterchain block whose state is used. Default: the newest.' }),
}

/** Body of `POST /api/emulate/v1/emulateTrace`. Unknown members are ignored, null counts as absent. */
export const EmulateTraceBody = z
  .object({
    boc: base64.meta({ description: 'The message, external or internal, as a bag of cells.' }),
    ignore_chksig: flag('Whether signatures that the receiver of the message checks count as right.'),
    ...shared,
  })
  .meta({ id: 'EmulateTraceRequest' })

const RequestedMessage = z.object({
  address: z.string().default('').meta({
    description: 'Receiver, in any form. A non-bounceable form clears the bounce flag.',
  }),
  amount: z.string().default('').meta({ description: 'Nanotons, decimal.' }),
  payload: base64.nullish(),
  stateInit: base64.nullish(),
})

/** Body of `POST /api/emulate/v1/emulateTonConnect`. Unknown members are ignored, null counts as absent. */
export const EmulateTonConnectBody = z
  .object({
    from: z.string().meta({ description: 'The wallet, in any form.' }),
    messages: z
      .array(RequestedMessage)
      .meta({ description: 'One to four messages; up to 255 of a wallet v5 or of Telegram.' }),
    // Nanoseconds exceed safe integers.
    valid_until: z
      .number()
      .min(0)
      .nullish()
      .meta({ description: 'Unix seconds. Milli-, micro- and nanoseconds are understood.' }),
    from_state_init: base64
      .nullish()
      .meta({ description: '`StateInit` of a wallet that is not deployed yet.' }),
    ...shared,
  })
  .meta({ id: 'EmulateTonConnectRequest' })

export type EmulateTraceBody = z.output<typeof EmulateTraceBody>
export type EmulateTonConnectBody = z.output<typeof EmulateTonConnectBody>

/** The request is invalid; clients get the text with status 400. */
export class InvalidEmulation extends Error {
  constructor(problem: string) {
    super(`invalid request: ${problem}`)
    this.name = 'InvalidEmulation'
  }
}

/** Reads a body as JSON. Throws `InvalidEmulation`. */
export function readEmulationBody<S extends z.ZodObject>(schema: S, bytes: Uint8Array): z.output<S> {
  const result = schema.safeParse(withRequired(parseJson(bytes)))
  if (result.success) return result.data
  const [issue] = result.error.issues
  const path = issue?.path.join('.')
  throw new InvalidEmulation(`${path ? `${path}: ` : ''}${issue?.message ?? 'not understood'}`)
}

/** A missing member counts as empty, for which clients expect a certain text, and null as missing. */
function withRequired(body: unknown): unknown {
  if (!isObject(body)) return body
  const { messages = [], ...rest } = withoutNulls(body)
  const present = Array.isArray(messages) ? messages.map(messageOf) : messages
  return { boc: '', from: '', ...rest, messages: present }
}

const messageOf = (message: unknown): unknown => {
  if (message === null) return {}
  return isObject(message) ? withoutNulls(message) : message
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const withoutNulls = (body: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    throw new InvalidEmulation('the body is not JSON')
  }
}

const STANDARD_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Bytes of standard base64 with padding; undefined for any other text. */
export const strictBase64 = (text: string): Buffer | undefined =>
  STANDARD_BASE64.test(text) ? Buffer.from(text, 'base64') : undefined

/** Smallest values of milli-, micro- and nanoseconds; times in seconds reach the first in 33,658 years. */
const SCALES = [10 ** 12, 10 ** 15, 10 ** 18]

/** Unix seconds of a time in seconds, milli-, micro- or nanoseconds. */
export const toSeconds = (time: number): number =>
  Math.floor(time / 1000 ** SCALES.filter((least) => time >= least).length)

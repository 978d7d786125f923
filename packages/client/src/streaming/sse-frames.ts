/** A server-sent event. Source: HTML standard, 9.2.6. */
export interface SseFrame {
  readonly event: string
  readonly id: string | undefined
  /** Empty for frames that only say that the server is there. */
  readonly data: string
}

/** The frames of a stream of bytes, which may be cut anywhere. */
export async function* sseFrames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SseFrame> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield toFrame(text.slice(0, end))
      text = text.slice(end + 2)
    }
  }
}

function toFrame(text: string): SseFrame {
  const lines = text.split('\n')
  const field = (name: string) =>
    lines.findLast((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  return { event: field('event') ?? 'message', id: field('id'), data: field('data') ?? '' }
}

/** One event of a stream. */
export interface StreamEvent<Data = Record<string, unknown>> {
  /** What to continue after: `lastEventId`. */
  id: string
  type: string
  data: Data
}

/** The platform sends a comment every 15 s: a connection that is silent for longer is dead. */
const silenceMs = 45_000

/** A place alone where nothing has happened. */
export type Frame<Data> = StreamEvent<Data> | { id: string; data?: undefined }

/** The frames of one answer, until it ends. @throws TypeError where the connection broke or fell silent */
export async function* serverSentFrames<Data>(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame<Data>> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await orSilence(reader.read())
      if (done) return
      const frames = (rest + value).replace(/\r\n?/g, '\n').split('\n\n')
      rest = frames.pop()!
      for (const text of frames) {
        const frame = frameOf<Data>(text)
        if (frame) yield frame
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Undefined for a comment. */
function frameOf<Data>(frame: string): Frame<Data> | undefined {
  const fields = new Map<string, string>()
  for (const line of frame.split('\n')) {
    const [, name, value] = /^([^:]+): ?(.*)$/.exec(line) ?? []
    if (name !== undefined) fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value!)
  }
  const [id, data] = [fields.get('id') ?? '', fields.get('data')]
  if (data === undefined) return id === '' ? undefined : { id }
  return { id, type: fields.get('event') ?? 'message', data: JSON.parse(data) as Data }
}

async function orSilence<T>(read: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError(`the stream was silent for ${silenceMs / 1_000} s`)), silenceMs)
  })
  return Promise.race([read, silence]).finally(() => clearTimeout(timer))
}

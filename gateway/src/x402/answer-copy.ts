/** An answer that was served. */
export interface StoredAnswer {
  status: number
  /** JSON */
  text: string
}

/** Holds the body of an answer that passes, up to a size. */
export interface AnswerCopy {
  add(chunk: Buffer): void
  /** Undefined for an answer that is too long. */
  stored(status: number): StoredAnswer | undefined
}

const maxBytes = 32_768

export function answerCopy(): AnswerCopy {
  const chunks: Buffer[] = []
  let bytes = 0
  return {
    add: chunk => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
    },
    stored: status => (bytes > maxBytes ? undefined : { status, text: Buffer.concat(chunks).toString() }),
  }
}

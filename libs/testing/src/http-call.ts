export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of all shapes
  body: any
  headers: Headers
}

export interface CallOptions {
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, as JSON too. */
  raw?: string | Buffer
  headers?: Record<string, string>
}

/** A call as a client makes it; a JSON answer is parsed. @example await httpCall(url, 'POST', '/api/gigs', { body: draft, headers: agent.headers }) */
export async function httpCall(url: string, method: string, path: string, { headers = {}, body, raw }: CallOptions = {}): Promise<Answer> {
  const bytes = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url + path, {
    method,
    headers: { ...(bytes === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(bytes === undefined ? {} : { body: bytes }),
    redirect: 'manual',
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { hostName, isLoopback } from '../request/request.ts'

/** How the session of an operator is held by a browser. */
export interface SessionCookie {
  read(request: IncomingMessage): string | undefined
  set(token: string): string
  clear(): string
}

/**
 * Over https the name binds the cookie to this host. On loopback there is no https, and browsers accept that name only with `Secure`: there it has a
 * plain name and a path. Elsewhere there is none, and nobody signs in.
 */
export function sessionCookie(publicBaseUrl: string): SessionCookie | undefined {
  const { protocol, host } = new URL(publicBaseUrl)
  const isSecure = protocol === 'https:'
  if (!isSecure && !isLoopback(hostName(host))) return undefined
  const name = isSecure ? '__Host-carapace-operator' : 'carapace-operator'
  const attributes = `${isSecure ? 'Path=/; Secure' : 'Path=/operator'}; HttpOnly; SameSite=Strict`
  return {
    read: ({ headers }) => {
      const sent = (headers.cookie ?? '').split(';').map(pair => pair.trim())
      const values = sent.filter(pair => pair.startsWith(`${name}=`)).map(pair => pair.slice(name.length + 1))
      // of two nobody knows which one this gateway has set
      return values.length === 1 && /^[0-9a-f]{64}$/.test(values[0]!) ? values[0] : undefined
    },
    set: token => `${name}=${token}; ${attributes}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  }
}

/** What a form of this session carries: another site cannot know it. */
export const csrfTokenOf = (token: string): string => createHmac('sha256', token).update('csrf').digest('hex')

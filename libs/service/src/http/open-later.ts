import { Refusal } from '@carapace/api'
import type { Request, Response } from 'express'
import { v7 } from 'uuid'
import type { Prerequisites } from '../health/prerequisites.ts'
import { sendFailure } from './reply.ts'

type Serve = (request: Request, response: Response, next: () => void) => unknown

/** Requests that come before the opening wait for it. They are refused while the start waits for something itself. */
export function openLater({ absent, onAbsent }: Prerequisites): { handle: Serve; open(serve: Serve): void } {
  let serving: Serve | undefined
  let waiting: Parameters<Serve>[] = []
  const refuse = ([request, response]: Parameters<Serve>) => sendFailure(request, response, new Refusal('DEPENDENCY_UNAVAILABLE'), v7())
  onAbsent(() => {
    for (const one of waiting.splice(0)) refuse(one)
  })
  return {
    handle: (...one) => {
      if (serving) return void serving(...one)
      if (absent().length > 0) refuse(one)
      else waiting.push(one)
    },
    open: serve => {
      serving = serve
      const early = waiting
      waiting = []
      for (const one of early) void serve(...one)
    },
  }
}

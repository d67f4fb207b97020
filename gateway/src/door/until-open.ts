import type { Bus } from '@carapace/bus'
import { openLater, type Prerequisites, send } from '@carapace/service'
import type { Request, Response } from 'express'
import { sendReady } from '../cache/cached-answer.ts'
import { alive, readyAnswer, unstored } from './local.ts'

type Serve = (request: Request, response: Response) => unknown

/** What the gateway answers before its door is open: its health, and everything else once the door is. */
export function untilOpen(prerequisites: Prerequisites, bus: Bus): { handle: Serve; open(serve: Serve): void } {
  const gate = openLater(prerequisites)
  const readiness = {
    needed: { started: () => false },
    useful: { bus: () => bus.ready() },
    absent: prerequisites.absent,
    isDraining: () => false,
  }
  return {
    handle: (request, response) => {
      if (request.path === '/healthz') sendReady(request, response, alive, [])
      else if (request.path !== '/readyz') gate.handle(request, response, () => {})
      else void readyAnswer(readiness).then(({ status, body }) => send(request, response, status, body, { ...unstored }))
    },
    open: gate.open,
  }
}

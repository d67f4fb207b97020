/** Does work that is written in steps without a pause. @example const document = lastOf(openapiSteps(apis, '0.1.0')) */
export function lastOf<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

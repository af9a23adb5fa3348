export function check() {
  return this.RESULT.length > 0;
}

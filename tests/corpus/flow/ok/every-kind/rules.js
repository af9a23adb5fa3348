exports.check = function () {
  return this.RESULT.length > 0;
};

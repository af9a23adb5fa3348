export default {
  isLate() {
    return new Date().getHours() > 20;
  },
};
